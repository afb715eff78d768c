"""The documents for machines have the schemas that are written down for them."""

import json
from io import StringIO

import jsonschema
import pytest
from rich.console import Console

from dittoinfra.automation import Changes, Diagnostic, RunReport, Step
from dittoinfra.cli.schemas import schema
from dittoinfra.cli.screen.summary import show_changes
from dittoinfra.fleet import FleetResult, Operation, StackResult
from dittoinfra.fleet.document import document


@pytest.mark.parametrize(
    ("exit_code", "word"), [(0, "succeeded"), (1, "failed"), (7, "unexpectedChanges"), (8, "cancelled")]
)
def test_a_document_is_as_its_schema_says(exit_code: int, word: str) -> None:
    report = RunReport(
        Changes(creates=1),
        (Step("create", "kubernetes:core/v1:Service", "media/nfs", "urn:x", ("spec",)),),
        (Diagnostic("warning", "media: unreachable"),),
        exit_code,
        {"servers": {}},
    )
    result = FleetResult((StackResult("prod", Operation.UP, report, 1.25),))

    content = json.loads(document(Operation.UP, result).model_dump_json(by_alias=True))

    jsonschema.validate(content, json.loads(schema("up")), cls=jsonschema.Draft202012Validator)
    assert content["exitCode"] == exit_code
    assert content["stacks"][0]["result"] == word


def test_a_replacement_is_one_step() -> None:
    parts = ("create-replacement", "replace", "delete-replaced")
    steps = [Step(part, "kubernetes:core/v1:Service", "media/nfs", "urn:nfs", ("spec",)) for part in parts]
    other = Step("update", "kubernetes:core/v1:Service", "media/smb", "urn:smb")
    report = RunReport(Changes(updates=1, replaces=1), (steps[0], other, *steps[1:]), (), 0)
    result = FleetResult((StackResult("prod", Operation.PREVIEW, report, 1.25),))

    [stack] = document(Operation.PREVIEW, result).stacks
    console = Console(file=StringIO(), width=80)
    show_changes(console, result.results)

    assert [(step.operation, step.name) for step in stack.steps] == [
        ("replace", "media/nfs"),
        ("update", "media/smb"),
    ]
    assert stack.steps[0].properties == ["spec"]
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().splitlines() == [
        "prod",
        "  ± Service media/nfs  (spec)",
        "  ~ Service media/smb",
    ]


@pytest.mark.parametrize(
    ("codes", "exit_code"),
    [([0, 0], 0), ([0, 3], 3), ([5, 5], 5), ([2, 3], 1), ([1, 8, 5], 8)],
)
def test_the_exit_code_of_several(codes: list[int], exit_code: int) -> None:
    results = [
        StackResult(str(number), Operation.UP, RunReport(Changes(), (), (), code), 0.0)
        for number, code in enumerate(codes)
    ]

    assert FleetResult(tuple(results)).exit_code == exit_code
