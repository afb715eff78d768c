"""Whatever a server or the way to it does, a run ends soon, says why in one line, and changes nothing."""

import pytest

from dittoinfra.changes import Changes
from dittoinfra.model import Answered
from lab.simulator.versions import TESTED, in_turn
from tests.chaos.faults.catalogue import CATALOGUE
from tests.chaos.faults.encryption import trusting_the_authority
from tests.chaos.faults.fault import Fault, Limits, Place
from tests.chaos.faults.serving import tokens
from tests.chaos.faults.stack import ADMINISTRATOR, Stack

SLACK = 45.0
"""Seconds that a whole run may take on a busy machine, beyond the time for the API."""
MOST_MEMORY = 64 * 1024**2
"""A mebibyte of tiny JSON objects takes half of it."""
LONGEST_LINE = 400


@pytest.mark.fault
# One after the other is met by a stack of another version; each by all of them would take twice as long.
@pytest.mark.parametrize(
    ("stack", "fault"), list(zip(in_turn(0), CATALOGUE, strict=False)), indirect=["stack"], ids=str
)
def test_a_fault_changes_nothing(stack: Stack, fault: Fault) -> None:
    before = stack.snapshot()

    with fault.serve() as place:
        met = stack.meet(place, fault.limits)

    assert met.report.changes == Changes(same=4)
    assert stack.snapshot() == before
    assert met.seconds < fault.limits.deadline + SLACK
    assert met.peak < MOST_MEMORY
    assert place.bystander is None or place.bystander.heard == []
    warnings = met.report.lines("warning")
    if fault.outcome is Answered:
        assert warnings == []
    else:
        (line,) = warnings
        assert line.startswith(f"media: {fault.outcome.name}: ")
        assert fault.says in line
        assert line.endswith("; 2 remembered adapters kept as is")
        assert line.isprintable()
        assert len(line) <= LONGEST_LINE
    for secret in (stack.world.password, *tokens()):
        assert secret not in f"{met.report} {stack.state()}"


@pytest.mark.parametrize("stack", TESTED, indirect=True, ids=str)
def test_another_way_to_a_healthy_server_changes_nothing_either(stack: Stack) -> None:
    before = stack.snapshot()
    url = stack.dittofs.url.replace("127.0.0.1", "localhost")

    met = stack.meet(Place(url, {"username": ADMINISTRATOR, **trusting_the_authority()}), Limits(19.0, 9.0))

    assert met.report.changes == Changes(same=4)
    assert met.report.lines("warning") == []
    assert stack.snapshot() == before


def test_every_fault_has_a_name_of_its_own() -> None:
    assert len({fault.name for fault in CATALOGUE}) == len(CATALOGUE)
