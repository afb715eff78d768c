"""The schemas that people get, and the documents that they describe."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dittoinfra.insight.check import told
from dittoinfra.insight.drift import DriftDocument
from dittoinfra.insight.schemas import schemas
from dittoinfra.insight.standing import stack_view
from dittoinfra.insight.views import AdaptersDocument, Failure, StatusDocument, View
from tests.insight.make import report, step
from tests.insight.test_wording import a_lot

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


def test_the_files_are_those_of_the_code() -> None:
    written = {name: (FOLDER / name).read_text() for name in schemas()}

    assert written == schemas(), "run `python -m dittoinfra.insight.schemas`"


def documents() -> dict[str, View]:
    view, run = stack_view(a_lot()), a_lot().record
    failures = (Failure(stack="gone", errors=("no stack named 'gone' found",), exit_code=6),)
    listed = tuple(adapter for server in view.servers for adapter in server.adapters)
    found = told("prod", run, report(step("delete", "media/nfs")), report())
    return {
        "adapters": AdaptersDocument(adapters=listed, failures=failures),
        "drift": DriftDocument(stacks=(found,)),
        "status": StatusDocument(stacks=(view,), failures=failures),
    }


@pytest.mark.parametrize("name", ["adapters", "drift", "status"])
def test_documents_are_as_described(name: str) -> None:
    schema: dict[str, Any] = json.loads(schemas()[f"{name}.schema.json"])
    printed = json.loads(documents()[name].model_dump_json())

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(printed, schema)
    assert _undocumented(schema) == []


def _undocumented(schema: dict[str, Any]) -> list[str]:
    """Keys that carry neither a description nor the type of a described part."""
    parts = {schema["title"]: schema, **schema["$defs"]}
    return [title for title, part in parts.items() if "description" not in part]
