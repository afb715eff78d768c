"""When a change counts as confirmed, and when the answer is due that could confirm it."""

from math import inf

import pytest

from dittoinfra.watch.adapter_changes import AdapterChange, ChangeKind
from dittoinfra.watch.confirmation import Confirmation
from dittoinfra.watch.poll_timing import Timing

TIMING = Timing(30.0, confirm=0.3, removal=1.0, debounce=3.0)
MOVED = AdapterChange("media/nfs moved from port 1 to 2")
DISABLED = AdapterChange("media/nfs is disabled", ChangeKind.DISABLED)
ABSENT = AdapterChange("media/nfs is absent 1/3", ChangeKind.ABSENT)
STILL_ABSENT = AdapterChange("media/nfs is absent 2/3", ChangeKind.STILL_ABSENT)


@pytest.mark.parametrize(("change", "pause"), [(MOVED, 0.3), (DISABLED, 1.0), (ABSENT, 3.0)])
def test_a_change_needs_a_second_answer_after_its_pause(change: AdapterChange, pause: float) -> None:
    confirmation = Confirmation()

    assert confirmation.heard([change], 10.0, TIMING) == ()
    assert confirmation.due(10.0, TIMING) == pytest.approx(pause)
    assert confirmation.heard([change], 10.0 + pause / 2, TIMING) == ()
    assert confirmation.heard([change], 10.0 + pause, TIMING) == (change,)
    assert confirmation.due(10.0 + pause, TIMING) == inf


def test_without_any_pause_it_still_takes_two_answers() -> None:
    confirmation, timing = Confirmation(), Timing(30.0, confirm=0.0)

    assert confirmation.heard([MOVED], 10.0, timing) == ()
    assert confirmation.due(10.0, timing) == 0.0
    assert confirmation.heard([MOVED], 10.0, timing) == (MOVED,)


def test_what_is_over_meanwhile_begins_anew() -> None:
    confirmation = Confirmation()

    confirmation.heard([ABSENT], 10.0, TIMING)
    assert confirmation.heard([], 12.0, TIMING) == ()
    assert confirmation.due(12.0, TIMING) == inf
    assert confirmation.heard([ABSENT], 13.5, TIMING) == ()
    assert confirmation.due(13.5, TIMING) == 3.0


def test_each_change_has_its_own_pause() -> None:
    confirmation = Confirmation()

    confirmation.heard([MOVED, ABSENT], 10.0, TIMING)
    assert confirmation.heard([MOVED, ABSENT], 10.3, TIMING) == (MOVED,)
    assert confirmation.due(10.3, TIMING) == pytest.approx(2.7)


def test_the_next_step_of_an_absence_and_what_a_run_was_told_need_no_second_answer() -> None:
    confirmation = Confirmation.of([MOVED])

    assert confirmation.heard([MOVED, STILL_ABSENT], 10.0, TIMING) == (MOVED, STILL_ABSENT)
