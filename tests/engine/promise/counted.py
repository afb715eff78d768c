"""Absence counts of a stack, read from its Services."""

from tests.engine.cli.fleet_bed import Fleet

ABSENCES = "dittofs.io/absence-count"


def up(fleet: Fleet, stack: str) -> None:
    """An update that must succeed."""
    done = fleet.run("up", stack, "--yes")
    assert done.returncode == 0, done.stderr


def absences(fleet: Fleet, stack: str) -> dict[str, str | None]:
    """The absence count of each adapter, by the name of its Service."""
    return {
        name: service["metadata"].get("annotations", {}).get(ABSENCES)
        for name, service in fleet.services(stack).items()
        if "-adapter-" in name
    }
