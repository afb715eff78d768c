"""Values are told in the words that the settings would read back."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dittoinfra.settings.base import Duration, duration_text
from tools.reference.words import listed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(milliseconds=500), "500ms"),
        (timedelta(seconds=20), "20s"),
        (timedelta(seconds=90), "90s"),
        (timedelta(minutes=2), "2m"),
        (timedelta(hours=1), "1h"),
    ],
)
def test_a_duration_is_told_in_its_largest_whole_unit(value: timedelta, text: str) -> None:
    assert duration_text(value) == text


@given(st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(hours=1)))
def test_a_duration_reads_back_as_itself(value: timedelta) -> None:
    durations: TypeAdapter[timedelta] = TypeAdapter(Duration)

    assert durations.validate_python(duration_text(value)) == value


@pytest.mark.parametrize(
    ("items", "text"), [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_items_are_listed_as_one_says_them(items: list[str], text: str) -> None:
    assert listed(items, "or") == text
