"""A stack whose file is not in this checkout is none of `--all`."""

import pytest

from tests.engine.cli.fleet_bed import Fleet
from tests.engine.promise.counted import absences, up


@pytest.mark.parametrize(
    "command",
    [
        ("up", "--all", "--yes"),
        ("destroy", "--all", "--yes"),
        ("destroy", "*", "--yes"),
        ("refresh", "--all", "--yes"),
        ("preview", "--all"),
    ],
    ids=" ".join,
)
def test_a_stack_that_only_the_backend_knows_is_left_alone_and_named(
    fleet: Fleet, command: tuple[str, ...]
) -> None:
    fleet.add_stacks("prod", "staging")
    up(fleet, "staging")
    up(fleet, "prod")
    fleet.config_file("staging").unlink()

    done = fleet.run(*command)

    assert done.returncode == 0, done.stderr
    assert set(absences(fleet, "staging")) == {"media-adapter-nfs"}
    assert "skipped: staging: in the backend, but without a file in stacks/" in done.stderr
    assert "staging" not in done.stdout
    assert "prod" in done.stdout
