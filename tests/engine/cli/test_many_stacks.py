"""Commands on many stacks at once."""

import json
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from tests import ROOT
from tests.engine.cli import fleet_bed
from tests.engine.cli.fleet_bed import Fleet

pytestmark = pytest.mark.long

STACKS = tuple(f"team-{number:02}" for number in range(1, 21))
BROKEN, DARK = "team-07", "team-13"


def _one_stack_breaks(operation: str, urn: str) -> str | None:
    return "the cluster went away" if operation == "create" and f"urn:pulumi:{BROKEN}::" in urn else None


def test_twenty_stacks_of_which_one_fails_and_one_has_a_server_that_does_not_answer(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet_bed.fleet(tmp_path, pulumi_cli, fail_on=_one_stack_breaks) as fleet:
        fleet.add_stacks(*STACKS)
        fleet.server(DARK).stop()

        done = fleet.run("up", "--all", "--yes", "--at-once", "4")

        assert done.returncode == 1
        *rows, error, total = done.stdout.splitlines()[-len(STACKS) - 2 :]
        assert [row.split(":")[0] for row in rows] == list(STACKS)
        said = dict(zip(STACKS, rows, strict=True))
        assert said[BROKEN].startswith(f"{BROKEN}: failed (exit code 1) (")
        assert error.startswith(f"{BROKEN}: error: Service media/nfs: the cluster went away")
        assert said[DARK].startswith(f"{DARK}: updated (")
        assert said["team-01"].startswith("team-01: updated: 1 created")
        assert total == "20 stacks: 19 updated, 1 failed"
        assert f"{DARK}: warning: media: unreachable: " in done.stderr
        assert "Traceback" not in done.stderr + done.stdout
        served = {stack for stack in STACKS if "media-adapter-nfs" in fleet.services(stack)}
        assert served == {*STACKS} - {BROKEN, DARK}


def test_globs_tags_and_a_document_for_machines(fleet: Fleet) -> None:
    fleet.add_stacks("prod-eu", "prod-us", "dev")

    done = fleet.run("preview", "prod-*", "--json")

    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert [stack["stack"] for stack in document["stacks"]] == ["prod-eu", "prod-us"]
    assert document["stacks"][0]["changes"] == {
        "create": 1,
        "update": 0,
        "replace": 0,
        "delete": 0,
        "same": 0,
    }
    schema = json.loads((ROOT / "docs" / "schemas" / "preview.schema.json").read_text())
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)

    tagged = fleet.pulumi("stack", "tag", "set", "ring", "first", "--stack", "prod-us")
    assert tagged.returncode == 0
    done = fleet.run("preview", "--tag", "ring=first", "--expect-no-changes")
    assert done.returncode == 7
    assert [line.split(":")[0] for line in done.stdout.splitlines()][-1] == "prod-us"
    assert "prod-us: would change (exit code 7)" in done.stdout


def test_an_update_asks_each_server_once_and_changes_what_was_previewed(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    fleet.server("prod").set_adapter("smb", port=12445)

    done = fleet.run("up", "prod", "--yes")

    assert done.returncode == 0, done.stderr
    assert [request.path for request in fleet.server("prod").requests] == [
        "/api/v1/auth/login",
        "/api/v1/adapters/ports",
    ]
    assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}

    fleet.server("prod").disable("smb")
    done = fleet.run("up", "--yes", "--skip-preview", "--diff")
    assert done.returncode == 0
    assert "prod: info: media: smb is disabled: its Service is removed" in done.stderr
    assert "previewing" not in done.stderr
    assert set(fleet.services("prod")) == {"media-adapter-nfs"}


def test_refresh_takes_over_and_destroy_removes(fleet: Fleet) -> None:
    fleet.add_stacks("one", "two")
    assert fleet.run("up", "--all", "-y").returncode == 0
    manifest = next((fleet.root / "manifests" / "one").rglob("service-*.yaml"))
    manifest.write_text(manifest.read_text().replace("targetPort: 12049", "targetPort: 12050"))

    assert fleet.run("refresh", "one", "--yes", "--expect-no-changes").returncode == 7
    done = fleet.run("refresh", "--all", "--yes")
    assert done.returncode == 0
    assert "one: refreshed: 1 updated" in done.stdout
    assert "two: unchanged" in done.stdout

    done = fleet.run("destroy", "one", "--yes", "--remove")
    assert done.returncode == 0
    assert "one: destroyed: 1 deleted" in done.stdout
    assert fleet.services("one") == {}
    assert not fleet.config_file("one").exists()
    assert fleet.services("two"), "the other stack is not touched"
    done = fleet.run("destroy", "one", "--yes")
    assert done.returncode == 6
    assert "there is no stack 'one'" in done.stdout + done.stderr
