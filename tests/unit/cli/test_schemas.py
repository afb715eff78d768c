"""The schemas that people get are those of the code, and every part of them is explained."""

import json
from typing import Any

import jsonschema
import pytest

from dittoinfra.changes import Changes
from dittoinfra.doctor.check_result import CheckResult, DoctorDocument
from dittoinfra.json_document import Document
from dittoinfra.setup.setup_documents import (
    AdoptDocument,
    InitDocument,
    InitUser,
    RenderDocument,
    RenderedFile,
)
from tools.schemas import FOLDER, main, published, schema

DOCUMENTS: dict[str, Document] = {
    "adopt": AdoptDocument(
        stack="prod", adopted=False, changes=Changes(create=11), notes=("a",), warnings=(), settled=None
    ),
    "doctor": DoctorDocument(
        ok=False, checks=(CheckResult(check="state", state="failed", text="no", next="do", exit_code=1),)
    ),
    "init": InitDocument(
        stack="prod",
        file="stacks/Pulumi.prod.yaml",
        file_written=True,
        secrets=("dittoinfra:passwords.media",),
        users=(InitUser(server="media", username="dittoinfra", state="created", text="may ask"),),
        next=("dittoinfra preview prod",),
    ),
    "render": RenderDocument(
        stack="prod",
        folder="deploy",
        files=(RenderedFile(path="files/service-media.yaml", state="written"),),
        left_out=("Secret media-jwt-secret",),
        notes=(),
    ),
}


def test_the_files_are_those_of_the_code() -> None:
    assert main(["--check"]) == 0
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.schema.json" for name in published()}


@pytest.mark.parametrize("name", sorted(published()))
def test_every_part_is_explained(name: str) -> None:
    content: dict[str, Any] = json.loads(schema(name))

    jsonschema.Draft202012Validator.check_schema(content)
    parts = {name: content, **content.get("$defs", {})}
    assert [title for title, part in parts.items() if "description" not in part] == []


@pytest.mark.parametrize("name", sorted(set(published()) - {"event", "watch"}))
def test_every_document_has_a_version_and_lines_have_none(name: str) -> None:
    assert json.loads(schema(name))["properties"]["version"]["const"] == 2
    assert "version" not in published()["event"].model_fields | published()["watch"].model_fields


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_as_described(name: str) -> None:
    printed = json.loads(DOCUMENTS[name].model_dump_json())

    jsonschema.validate(printed, json.loads(schema(name)))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**printed, "surprise": 1}, json.loads(schema(name)))
