"""The schemas that people get are those of the code, and every key in them is explained."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dittoinfra.doctor import schemas as doctor
from dittoinfra.setup import schemas

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
EVERY = {**{command: schemas.schema(command) for command in schemas.DOCUMENTS}, "doctor": doctor.schema()}


@pytest.mark.parametrize("command", EVERY)
def test_the_file_is_fresh_and_every_key_is_explained(command: str) -> None:
    written = (FOLDER / f"{command}.schema.json").read_text()

    assert written == EVERY[command], "run `python -m dittoinfra.setup.schemas docs/schemas`, or doctor's"
    schema: dict[str, Any] = json.loads(written)
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in (schema, *schema.get("$defs", {}).values()):
        assert all("description" in key for key in part["properties"].values())


def documents() -> dict[str, dict[str, Any]]:
    """What the commands have printed, shortened."""
    user = {"server": "media", "username": "dittoinfra", "state": "created", "text": "may ask"}
    check = {
        "check": "state",
        "stack": None,
        "state": "failed",
        "text": "no",
        "next": "do",
        "exit_code": 1,
        "role": None,
    }
    return {
        "adopt": {
            "stack": "prod",
            "adopted": False,
            "creates": 11,
            "updates": 0,
            "deletes": 0,
            "notes": ["a"],
            "warnings": [],
            "settled": None,
        },
        "doctor": {"ok": False, "checks": [check]},
        "init": {
            "stack": "prod",
            "file": "stacks/Pulumi.prod.yaml",
            "file_written": True,
            "secrets": ["dittoinfra:passwords.media"],
            "users": [user],
            "next": ["dittoinfra preview prod"],
        },
        "render": {
            "stack": "prod",
            "folder": "deploy",
            "files": [{"path": "files/service-media.yaml", "state": "written"}],
            "left_out": ["Secret media-jwt-secret"],
            "notes": [],
        },
    }


@pytest.mark.parametrize("command", EVERY)
def test_documents_are_as_described(command: str) -> None:
    jsonschema.validate(documents()[command], json.loads(EVERY[command]))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**documents()[command], "surprise": 1}, json.loads(EVERY[command]))
