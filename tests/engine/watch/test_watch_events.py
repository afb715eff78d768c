"""What a watch prints."""

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from dittoinfra.changes import Changes
from dittoinfra.watch.watch_events import EventKind, WatchEvent
from tools.schemas import schema

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "event",
    [
        WatchEvent(event=EventKind.STARTED, text="watching prod"),
        WatchEvent(event=EventKind.SILENT, stack="prod", server="media", text="media is silent"),
        WatchEvent(
            event=EventKind.UPDATED,
            stack="prod",
            text="up to date",
            changes=Changes(create=1),
        ),
    ],
    ids=lambda event: str(event.event),
)
def test_a_line_of_json_is_what_the_schema_says(event: WatchEvent) -> None:
    line = event.model_dump_json(exclude_none=True)

    assert "\n" not in line
    jsonschema.validate(json.loads(line), json.loads(schema("watch")))


def test_a_line_for_people_begins_with_when_and_what_it_is_about() -> None:
    about = WatchEvent(time=NOON, event=EventKind.CHANGED, stack="prod", text="media/nfs is disabled")

    assert about.line() == "2026-01-02T12:00:00Z prod: media/nfs is disabled"
    assert WatchEvent(time=NOON, event=EventKind.STOPPED, text="stopped").line() == (
        "2026-01-02T12:00:00Z stopped"
    )


def test_a_line_for_people_is_one_line_and_moves_no_terminal() -> None:
    said = WatchEvent(time=NOON, event=EventKind.FAILED, stack="prod", text="no\x1b[2J\r\n::error::\u202egnp")

    assert said.line() == "2026-01-02T12:00:00Z prod: no\ufffd[2J ::error::\ufffdgnp"
