"""Documents are what their schemas promise."""

import json
from typing import Any

import jsonschema
import pytest

from dittoinfra.json_document import Document
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.status.drift_check import stack_drift
from dittoinfra.reports.status.stack_status import stack_view
from dittoinfra.reports.status.status_model import AdaptersDocument, DriftDocument, StatusDocument
from tests.unit.status.make import report, step
from tests.unit.status.test_wording import a_lot
from tools.schemas import schema


def documents() -> dict[str, Document]:
    view, run = stack_view(a_lot()), a_lot().record
    failures = (Failure(stack="gone", errors=("no stack named 'gone' found",), exit_code=6),)
    listed = tuple(adapter for server in view.servers for adapter in server.adapters)
    found = stack_drift("prod", run, report(step("delete", "media/nfs")), report())
    return {
        "adapters": AdaptersDocument(adapters=listed, failures=failures),
        "drift": DriftDocument(stacks=(found,)),
        "status": StatusDocument(stacks=(view,), failures=failures),
    }


@pytest.mark.parametrize("name", ["adapters", "drift", "status"])
def test_documents_are_as_described(name: str) -> None:
    content: dict[str, Any] = json.loads(schema(name))
    printed = json.loads(documents()[name].model_dump_json())

    jsonschema.validate(printed, content)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**printed, "surprise": 1}, content)
