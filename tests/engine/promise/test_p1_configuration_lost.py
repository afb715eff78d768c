"""Configuration that is lost is not configuration that is empty: a stack that holds adapters stops."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from dittoinfra.exitcodes import ExitCode
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

BOTH = {"media-adapter-nfs", "media-adapter-smb"}


def _missing(file: Path) -> None:
    file.unlink()


def _empty(file: Path) -> None:
    file.write_text("")


def _without_servers(file: Path) -> None:
    content = yaml.safe_load(file.read_text())
    del content["config"]["dittoinfra:servers"]
    file.write_text(yaml.safe_dump(content))


def _of_another_project(file: Path) -> None:
    file.write_text(file.read_text().replace("dittoinfra:", "files:"))


@pytest.mark.parametrize(
    ("lose", "where"),
    [
        # The engine makes the file anew, with nothing but the salt of its secrets in it.
        (_missing, "Pulumi.world.yaml; "),
        (_empty, "Pulumi.world.yaml; "),
        (_without_servers, "Pulumi.world.yaml; "),
        (_of_another_project, "(files:servers is set, but only the namespace `dittoinfra:` is read); "),
    ],
)
def test_a_stack_whose_configuration_is_lost_keeps_everything(
    world: World, dittofs: SimulatedDittoFS, lose: Callable[[Path], None], where: str
) -> None:
    world.configure(server(dittofs))
    world.up()

    lose(world.root / "stacks" / "Pulumi.world.yaml")
    report = world.stack.up()

    (line,) = report.lines("error")
    assert line.startswith("configuration lost: this run would remove all 2 adapters of the stack")
    assert "dittoinfra:servers or dittoinfra:serversFrom is not in " in line
    assert where in line
    assert line.endswith("`dittoinfra:approveRemovals: [media/nfs, media/smb]`")
    assert report.exit_code == ExitCode.CONFIGURATION
    assert set(world.services()) == BOTH


def test_an_approval_of_every_adapter_lets_it_through(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))
    world.up()

    world.configure(approveRemovals=["media/nfs"])
    assert world.stack.up().exit_code == ExitCode.CONFIGURATION

    world.configure(approveRemovals=["media/nfs", "media/smb"])
    world.up()
    assert world.services() == {}


def test_the_last_server_with_adapters_leaves_the_configuration_with_approval_only(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    with SimulatedDittoFS(admin_password=world.password) as empty:
        for adapter_type in ("nfs", "smb"):
            empty.disable(adapter_type)
        world.configure(server(dittofs), server(empty, "backup"))
        world.up()

        world.configure(server(empty, "backup"))
        report = world.stack.up()

    assert report.exit_code == ExitCode.POLICY
    assert "which would leave none: media/nfs (unconfigured)" in report.lines("error")[0]
    assert set(world.services()) == BOTH
