"""Documents are what their schemas promise."""

import json
from typing import Any

import jsonschema
import pytest

from dittoinfra.cli.schemas import schema
from dittoinfra.document import Document
from dittoinfra.insight.check import told
from dittoinfra.insight.drift import DriftDocument
from dittoinfra.insight.standing import stack_view
from dittoinfra.insight.views import AdaptersDocument, Failure, StatusDocument
from tests.insight.make import report, step
from tests.insight.test_wording import a_lot


def documents() -> dict[str, Document]:
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
    content: dict[str, Any] = json.loads(schema(name))
    printed = json.loads(documents()[name].model_dump_json())

    jsonschema.validate(printed, content)
