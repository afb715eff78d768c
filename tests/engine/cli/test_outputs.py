"""Reports and events, asked for on the command line."""

import json
from pathlib import Path

from tests.engine.cli.fleet_bed import Fleet


def test_a_preview_leaves_a_comment_a_page_and_a_document(fleet: Fleet) -> None:
    fleet.add_stacks("dev", "prod")
    fleet.config_file("dev").write_text("config: {dittoinfra:nonsense: 1}\n")
    files = {ending: fleet.root / f"report.{ending}" for ending in ("md", "json", "html")}
    flags = [f"--report-{ending}={path}" for ending, path in files.items()]

    done = fleet.run("preview", "--all", *flags)

    assert done.returncode == 2, done.stderr
    comment = files["md"].read_text()
    assert "### dittoinfra preview: 1 to create in 2 stacks, 1 failed" in comment
    document = json.loads(files["json"].read_text())
    assert [(each["stack"], each["result"]) for each in document["stacks"]] == [
        ("dev", "failed"),
        ("prod", "succeeded"),
    ]
    assert "media-adapter-nfs" in files["html"].read_text()


def test_an_update_tells_its_events_and_nothing_else_on_standard_output(fleet: Fleet) -> None:
    fleet.add_stacks("prod")

    done = fleet.run("up", "prod", "--yes", "--events", "-", "--kubernetes-events")

    assert done.returncode == 0, done.stderr
    [event] = [json.loads(line) for line in done.stdout.splitlines()]
    assert (event["reason"], event["stack"], event["planned"]) == ("AdapterServiceCreated", "prod", False)


def test_a_preview_tells_what_it_plans(fleet: Fleet) -> None:
    fleet.add_stacks("prod")
    file = fleet.root / "events.jsonl"

    done = fleet.run("preview", "prod", "--events", str(file))

    assert done.returncode == 0, done.stderr
    [event] = [json.loads(line) for line in file.read_text().splitlines()]
    assert event["planned"] is True
    assert "media-adapter-nfs" in event["message"]


def test_what_cannot_be_is_refused_before_the_run(fleet: Fleet, tmp_path: Path) -> None:
    fleet.add_stacks("prod")

    for flags, words in (
        (["--events", "-", "--json"], "--events - and --json both want standard output"),
        (["--report-html", str(tmp_path / "no" / "page.html")], "there is no folder"),
        (["--events", str(tmp_path / "no" / "events")], "No such file or directory"),
    ):
        done = fleet.run("up", "prod", "--yes", *flags)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr.splitlines()[-1]
        assert fleet.services("prod") == {}
