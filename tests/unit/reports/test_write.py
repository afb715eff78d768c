"""Reports as files, and of real runs: everything in them, and no secret."""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.reports.build import build_report
from dittoinfra.reports.report_formats import ReportNotWrittenError, write_reports
from dittoinfra.request import Operation
from dittoinfra.stacks.result import FleetResult, StackResult
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.engine.world import server, world
from tests.unit.reports.make import large, result
from tools.schemas import FOLDER

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SECRET = credential("hush-hush")


def validated(path: Path, name: str = "report") -> dict[str, object]:
    """What a file holds, once it is what the documented schema promises."""
    document = json.loads(path.read_text())
    promised = json.loads((FOLDER / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(promised).validate(document)
    assert isinstance(document, dict)
    return document


def test_only_what_is_named_is_written(tmp_path: Path) -> None:
    write_reports(build_report(result(), NOW), None, tmp_path / "report.json", None)

    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert validated(tmp_path / "report.json")["stacks"] == []


def test_a_large_report_is_what_the_schema_promises(tmp_path: Path) -> None:
    write_reports(build_report(large(20, 5), NOW), None, tmp_path / "report.json", None)

    document = validated(tmp_path / "report.json")
    assert document["version"] == 2
    assert document["exitCode"] == 1


def test_a_file_that_cannot_be_written_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    with pytest.raises(ReportNotWrittenError, match=r"no/such/report\.md: No such file") as raised:
        write_reports(
            build_report(result(), NOW), tmp_path / "no/such/report.md", tmp_path / "report.json", tmp_path
        )

    assert str(tmp_path) in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    validated(tmp_path / "report.json")


def test_a_real_stack_and_its_secrets(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with world(pulumi_cli, tmp_path) as here, SimulatedDittoFS(admin_password=here.password) as dittofs:
        dittofs.set_adapter("nfs", port=12049)
        dittofs.set_adapter("smb", port=12445)
        here.configure(server(dittofs, deploy={}))
        for key in ("jwt", "adminPassword"):
            place = f"dittoinfra:serverSecrets.media.{key}"
            here.stack.set_config(place, f"{key}-{SECRET}", secret=True, path=True)
        results = [StackResult("world", Operation.PREVIEW, here.stack.preview(), 1.0)]
        results += [StackResult("world", Operation.UP, here.up(), 1.0)]
        place = "dittoinfra:serverSecrets.media.adminPassword"
        here.stack.set_config(place, f"other-{SECRET}", secret=True, path=True)
        dittofs.disable("smb")
        results += [StackResult("world", Operation.PREVIEW, here.stack.preview(), 1.0)]

    for number, each in enumerate(results):
        files = [tmp_path / f"{number}.{ending}" for ending in ("md", "json", "html")]
        write_reports(build_report(FleetResult((each,)), NOW), *files)
        for path in files:
            assert "hush" not in path.read_text(), path
            assert here.password not in path.read_text(), path
            assert "04da6b54" not in path.read_text(), "a value that is not known yet shows as such"
        document = json.dumps(validated(files[1]))
        assert "media-adapter-nfs" in document
    foretold, done, last = (json.loads((tmp_path / f"{number}.json").read_text()) for number in range(3))
    assert done["totals"] == foretold["totals"], "the preview did not tell the truth"
    assert done["totals"]["changes"]["create"] >= 6
    assert [removal["object"]["name"] for removal in last["removals"]] == ["media-adapter-smb"]
    changed = {each["kind"] for each in last["stacks"][0]["servers"][0]["others"]}
    assert "Secret" in changed
    assert "[secret]" in json.dumps(last)
