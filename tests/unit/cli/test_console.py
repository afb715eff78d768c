"""Colours and tables only in a terminal whose user has not asked for plain lines."""

import io
import sys

import pytest

from dittoinfra.cli.console import console, moves
from dittoinfra.reports.status.terminal import show_values


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for variable in ("CI", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(variable, value)
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert moves() == (not environment)
    show_values(console(), [("api.deadline", "20s", "default")])
    return screen.getvalue()


def test_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in drawn(monkeypatch)


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")])
def test_plain_lines_where_they_are_wanted(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = drawn(monkeypatch, **{variable: value})

    assert plain == "SETTING       VALUE  FROM\napi.deadline  20s    default\n"
