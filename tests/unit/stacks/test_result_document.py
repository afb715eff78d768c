"""The documents for machines have the schemas that are written down for them."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO

import jsonschema
import pytest
from rich.console import Console

from dittoinfra.changes import Changes
from dittoinfra.cli.summary import show_changes
from dittoinfra.reports.build import build_report
from dittoinfra.request import Operation
from dittoinfra.stacks.result import Diagnostic, FleetResult, RunReport, StackResult, Step
from tests.unit.reports.make import step
from tools.schemas import schema

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("exit_code", "word"), [(0, "succeeded"), (1, "failed"), (7, "unexpectedChanges"), (8, "cancelled")]
)
def test_a_document_is_as_its_schema_says(exit_code: int, word: str) -> None:
    report = RunReport(
        Changes(create=1),
        (Step("create", "kubernetes:core/v1:Service", "media/nfs", "urn:x", ("spec",)),),
        (Diagnostic("warning", "media: unreachable"),),
        exit_code,
        {"servers": {}},
    )
    result = FleetResult((StackResult("prod", Operation.UP, report, 1.25),))

    content = json.loads(build_report(result, NOW).model_dump_json())

    jsonschema.validate(content, json.loads(schema("up")), cls=jsonschema.Draft202012Validator)
    assert content["exitCode"] == exit_code
    assert content["stacks"][0]["result"] == word


def test_a_replacement_is_one_step() -> None:
    parts = ("create-replacement", "replace", "delete-replaced")
    steps = [replace(step("media", "nfs", part, adapter="nfs"), changed=("spec",)) for part in parts]
    other = step("media", "smb", "update", adapter="smb")
    report = RunReport(Changes(update=1, replace=1), (steps[0], other, *steps[1:]), (), 0)
    result = FleetResult((StackResult("prod", Operation.PREVIEW, report, 1.25),))

    [stack] = build_report(result, NOW).stacks
    console = Console(file=StringIO(), width=80)
    show_changes(console, result.results, previewed=True)

    assert [(step.operation, step.name) for step in stack.steps] == [
        ("replace", "media/nfs"),
        ("update", "media/smb"),
    ]
    assert stack.steps[0].properties == ("spec",)
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().splitlines() == [
        "prod",
        "  ± Service media/nfs",
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


@pytest.mark.parametrize("module", ["dittoinfra.stacks.project_stack", "dittoinfra.cli.operation"])
def test_what_starts_the_cli_does_not_wait_for_the_program(module: str) -> None:
    late = {"pydantic", "dittoinfra.settings", "dittoinfra.program.survey", "dittoinfra.components"}

    assert not _loaded_by(module) & late


def test_a_run_of_the_program_loads_no_command_line() -> None:
    loaded = _loaded_by("dittoinfra.program.engine_run, dittoinfra.components")
    # Where click is installed, as it is for the tests, httpx loads a command line of its own.
    of_httpx = _loaded_by("httpx")

    assert not (loaded - of_httpx) & {"rich", "click", "typer", "dittoinfra.cli"}


def _loaded_by(modules: str) -> set[str]:
    asked = f"import sys, {modules}; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", asked], text=True).split())
