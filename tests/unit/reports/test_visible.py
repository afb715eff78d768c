"""What others say, as a terminal or a page may show it."""

from datetime import UTC, datetime

import pytest

from dittoinfra.reports.build import build_report
from dittoinfra.reports.report_formats import markdown, page
from dittoinfra.visible import visible
from tests.unit.reports.make import Adapter, Server, Stack, result

TRICKS = "\x1b]0;owned\x07\x1b[2Jgone\r\x08\x9b31m\u202egnp\u2066\u200b\ufeff\x00"
"""Sets a title, clears the screen, overwrites the line, colours, reorders, hides."""


@pytest.mark.parametrize("character", sorted(set(TRICKS) - set("]0;owned[2Jgone31mgnp")))
def test_nothing_is_left_that_a_terminal_obeys_or_a_reader_cannot_see(character: str) -> None:
    shown = visible(f"a{character}b")

    assert len(shown) == 3
    assert shown.isprintable()
    assert character not in shown


@pytest.mark.parametrize("text", ["", "media/nfs → 192.0.2.7", "Grüße, 世界 🎉", "two\nlines", "\ufffd"])
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_innocent_space_stays_space() -> None:
    assert visible("a\tb\u00a0c\r\nd") == "a b c \nd"


@pytest.mark.parametrize("render", [markdown, page])
def test_no_report_shows_more_than_can_be_seen(render: type) -> None:
    server = Server(TRICKS, [Adapter(TRICKS, "create", hostname=TRICKS)], why=TRICKS, namespace=TRICKS)
    said = [("error", TRICKS), ("warning", TRICKS), ("info", TRICKS)]
    fleet = result(Stack(TRICKS, [server], said, exit_code=1))

    text = str(render(build_report(fleet, datetime(2026, 1, 2, tzinfo=UTC))))

    assert "owned" in text
    assert [c for c in set(text) if not c.isprintable()] == ["\n"]
