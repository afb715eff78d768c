"""What a watch prints."""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from dittoinfra.watch.events import ChangeCounts, Happening, WatchEvent, schema

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "watch.schema.json"
NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


def test_the_documented_schema_is_the_code_s() -> None:
    assert json.loads(SCHEMA.read_text()) == json.loads(json.dumps(schema())), (
        "write it anew: python -c 'import json; from dittoinfra.watch.events import schema; "
        f"print(json.dumps(schema(), indent=2))' > {SCHEMA.name}"
    )


@pytest.mark.parametrize(
    "event",
    [
        WatchEvent(event=Happening.STARTED, text="watching prod"),
        WatchEvent(event=Happening.SILENT, stack="prod", server="media", text="media is silent"),
        WatchEvent(
            event=Happening.UPDATED,
            stack="prod",
            text="up to date",
            changes=ChangeCounts(created=1, updated=0, deleted=0, replaced=0),
        ),
    ],
    ids=lambda event: str(event.event),
)
def test_a_line_of_json_is_what_the_schema_says(event: WatchEvent) -> None:
    line = event.model_dump_json(exclude_none=True)

    assert "\n" not in line
    jsonschema.validate(json.loads(line), schema())


def test_a_line_for_people_begins_with_when_and_what_it_is_about() -> None:
    about = WatchEvent(time=NOON, event=Happening.CHANGED, stack="prod", text="media/nfs is disabled")

    assert about.line() == "2026-01-02T12:00:00Z prod: media/nfs is disabled"
    assert WatchEvent(time=NOON, event=Happening.STOPPED, text="stopped").line() == (
        "2026-01-02T12:00:00Z stopped"
    )
