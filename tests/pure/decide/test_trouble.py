"""Trouble as data and as one line of text."""

import pytest

from dittoinfra.model import Denied, Unreachable
from dittoinfra.trouble import Trouble, TroubleError


@pytest.mark.parametrize("trouble", [Trouble, Unreachable, Denied])
def test_a_cause_and_its_next_step_are_one_line(trouble: type[Trouble]) -> None:
    assert trouble("it is off", "switch it on").why == "it is off; switch it on"
    assert trouble("it is off").why == "it is off"


def test_an_error_keeps_the_parts_that_its_line_is_made_of() -> None:
    error = TroubleError("no; never", "ask again")

    assert str(error) == "no; never; ask again"
    assert (error.cause, error.next_step) == ("no; never", "ask again")
    assert str(TroubleError("no")) == "no"
