"""Hostile text from a server: what reaches users, pipelines and the cluster."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from tests.engine.cli.fleet_bed import Fleet
from tests.engine.cli.fleet_bed import fleet as new_fleet

PORTS = "/api/v1/adapters/ports"
WORDS = "no\n::error::a\r##[add-mask]b\x1b]0;owned\x07\x9b31m\u202egnp <script>alert(1)</script> | @all `c`"
MISREAD = ("null", "true", "on", "y", "1e3", "0x10", "0o7", "017", "2026-01-01")
"""Adapter types, as far as their characters go, that YAML would take for something else than text."""


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Fleet]:
    """A project with the stack prod, whose server can be told what to say."""
    with new_fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        yield project


def serving(*types: str) -> str:
    listed: list[dict[str, Any]] = [
        {"type": kind, "port": 20000 + number, "enabled": True, "running": True}
        for number, kind in enumerate(types)
    ]
    return json.dumps(listed)


def test_its_words_are_quoted_on_one_line_and_move_no_terminal(fleet: Fleet) -> None:
    fleet.server("prod").answer_with(418, WORDS, "text/plain", path=PORTS)

    done = fleet.run("preview", "prod", "--report-md", "report.md", "--report-html", "report.html")

    assert done.returncode == 0
    told = done.stdout + done.stderr
    [line] = [line for line in told.splitlines() if "add-mask" in line]
    assert line.startswith("prod: warning: media: nonsense: ")
    assert "\\n::error::a\\r##[add-mask]b\\x1b]0;owned" in line
    texts = (
        told,
        fleet.root.joinpath("report.md").read_text(),
        fleet.root.joinpath("report.html").read_text(),
    )
    for text in texts:
        assert {character for character in text if not character.isprintable()} <= {"\n"}
        assert not any(each.lstrip().startswith("::") for each in text.splitlines())
        assert "add-mask" in text


def test_a_name_that_yaml_would_misread_stays_a_name(fleet: Fleet) -> None:
    fleet.server("prod").answer_with(200, serving(*MISREAD), path=PORTS)

    done = fleet.run("up", "prod", "--yes")

    assert done.returncode == 0, done.stderr
    labels = [service["metadata"]["labels"] for service in fleet.services("prod").values()]
    assert {each["dittofs.io/adapter-type"] for each in labels} == set(MISREAD)
    assert fleet.run("preview", "prod", "--expect-no-changes").returncode == 0
