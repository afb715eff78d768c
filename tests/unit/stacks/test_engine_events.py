"""What differs, as people are told it: old and new values, short, harmless and without secrets."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from pulumi.automation import StepEventMetadata
from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.stacks.engine_events import differences
from dittoinfra.stacks.shown_values import KNOWN_LATER

SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}


def told(before: object, after: object, kind: str = "ConfigMap") -> tuple[str | None, str | None]:
    """Both values of one property."""
    states = [
        SimpleNamespace(inputs={"data": {} if value is None else {"key": value}}) for value in (before, after)
    ]
    metadata: Any = SimpleNamespace(
        type=f"kubernetes:core/v1:{kind}", detailed_diff={"data.key": None}, old=states[0], new=states[1]
    )
    [found] = differences(cast("StepEventMetadata", metadata))
    assert found.path == "data.key"
    return found.before, found.after


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (12049, 2049, ("12049", "2049")),
        (None, "a", (None, "a")),
        ("a", UNKNOWN, ("a", KNOWN_LATER)),
        (SECRET, "a", ("[secret]", "a")),
        ([{"port": 1}], [], ('[{"port":1}]', "[]")),
        ("one\ntwo\x1b[2J", "one", ("one two\N{REPLACEMENT CHARACTER}[2J", "one")),
    ],
)
def test_values(before: object, after: object, expected: tuple[str | None, str | None]) -> None:
    assert told(before, after) == expected


def test_the_values_of_a_secret_are_hidden() -> None:
    assert told("plain", "other", "Secret") == ("[secret]", "[secret]")
    assert told(None, "other", "Secret") == (None, "[secret]")


def test_long_values_are_shown_where_they_differ() -> None:
    before, after = told("a" * 500 + "b" * 500, "a" * 500 + "c")

    assert before == f"…{'a' * 30}{'b' * 128}…"
    assert after == f"…{'a' * 30}c"
    assert told("x" + "a" * 500, None) == ("x" + "a" * 158 + "…", None)
    assert told("b" * 500, "c") == ("b" * 159 + "…", "c")
    assert told("b" * 500, "b" * 499) == (f"…{'b' * 31}", f"…{'b' * 30}")
