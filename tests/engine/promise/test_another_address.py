"""An edited `api.url` removes nothing by what another server says, unless that was approved."""

from collections.abc import Iterator

import pytest

from dittoinfra.exitcodes import ExitCode
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server, simulated_server


@pytest.fixture
def other(world: World) -> Iterator[SimulatedDittoFS]:
    """Another server, which serves the same until a test says otherwise."""
    with simulated_server(world.password) as simulated:
        yield simulated


def test_what_another_address_disables_needs_approval(
    world: World, dittofs: SimulatedDittoFS, other: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()
    before = world.services()

    other.set_adapter("smb", enabled=False)
    world.configure(server(other))
    report = world.stack.up()

    assert report.exit_code == ExitCode.POLICY
    (line,) = report.lines("error")
    assert "media/smb (repointed); repointed means that it is disabled or absent where its server" in line
    assert f"media is asked at {other.url} now and was asked at {dittofs.url} before" in line
    assert line.endswith("`dittoinfra:approveRemovals: [media/smb]`")
    assert world.services() == before

    world.configure(server(other), approveRemovals=["media/smb"])
    world.up()
    assert "media-adapter-smb" not in world.services()
    world.configure(server(other))
    world.assert_settled()


def test_nor_does_another_address_remove_anything_by_absences(
    world: World, dittofs: SimulatedDittoFS, other: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, absencePolls=2))
    world.up()

    other.remove_adapter("smb")
    world.configure(server(other, absencePolls=2))
    report = world.up()
    told = f"media: is asked at {other.url} now and was asked at {dittofs.url} before: an adapter that is"
    assert any(line.startswith(told) for line in report.lines("warning"))
    assert world.stack.up().exit_code == ExitCode.POLICY
    assert "media-adapter-smb" in world.services()

    world.configure(server(dittofs, absencePolls=2))
    world.up()
    world.assert_settled()


def test_an_address_at_which_every_adapter_serves_needs_nothing(
    world: World, dittofs: SimulatedDittoFS, other: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()

    world.configure(server(other))
    world.assert_settled()
    world.up()
    other.set_adapter("smb", enabled=False)
    world.up()

    assert "media-adapter-smb" not in world.services()
