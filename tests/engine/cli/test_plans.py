"""What was previewed is what is applied, or nothing is."""

import json
from pathlib import Path

import pytest
import yaml

from lab.bed.credentials import credential
from tests.engine.cli.fleet_bed import PASSWORD, Fleet
from tests.engine.world import CREDENTIALS

pytestmark = pytest.mark.long

JWT = credential("signing-key")
ADMIN = "the-admin-password"


def _plan(fleet: Fleet, *arguments: str) -> Path:
    path = fleet.root / "the.plan"
    done = fleet.run("preview", *arguments, "--save", str(path))
    assert done.returncode == 0, done.stderr
    assert f"written to {path}" in done.stderr
    return path


def _changes(fleet: Fleet, *arguments: str) -> dict[str, list[tuple[str, str]]]:
    done = fleet.run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return {
        stack["stack"]: sorted((step["operation"], step["urn"]) for step in stack["steps"])
        for stack in json.loads(done.stdout)["stacks"]
    }


def test_a_plan_is_applied_with_its_own_answers_and_exactly_its_changes(fleet: Fleet) -> None:
    fleet.add_stacks("eu", "us")
    fleet.server("eu").set_adapter("smb", port=12445)
    plan = _plan(fleet, "eu", "us")
    planned = {
        name: sorted((change["operation"], change["urn"]) for change in stack["changes"])
        for name, stack in json.loads(plan.read_text())["stacks"].items()
    }
    fleet.server("us").set_adapter("smb", port=12445)

    done = _changes(fleet, "up", "--plan", str(plan), "--yes")

    assert done == planned
    assert set(fleet.services("us")) == {"media-adapter-nfs"}, "what is new waits for the next run"

    again = fleet.run("up", "--plan", str(plan), "--yes")
    assert again.returncode == 5, "a plan is good for once"
    assert "media/nfs is new in what the stack remembers" in again.stdout


def test_a_plan_that_deploys_a_server_ends_where_it_was_foreseen(fleet: Fleet) -> None:
    fleet.add_stack("new", fleet.block("new", deploy={"credentials": CREDENTIALS}))
    fleet.server("new").stop()
    plan = _plan(fleet, "new", "--break-lock")
    fleet.server("new").start()
    planned = json.loads(plan.read_text())["stacks"]["new"]["changes"]

    done = fleet.run("up", "--plan", str(plan), "--yes", "--json")

    assert done.returncode == 0, done.stderr
    [stack] = json.loads(done.stdout)["stacks"]
    assert sorted(step["urn"] for step in stack["steps"]) == sorted(change["urn"] for change in planned)
    assert set(fleet.services("new")) == {"media-api", "media-headless"}, "no adapters yet"
    told = "media: deployed as planned; run `dittoinfra up new` to declare its adapters"
    assert told in stack["notes"]


def test_a_plan_is_refused_when_the_stack_or_its_configuration_has_moved(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.run("up", "prod", "-y").returncode == 0
    fleet.server("prod").set_adapter("smb", port=12445)
    plan = _plan(fleet, "prod")

    fleet.add_stack("prod", absencePolls=5)
    moved = fleet.run("up", "--plan", str(plan), "--yes")
    assert moved.returncode == 5
    assert moved.stdout.count("the plan does not hold any more") == 1
    assert "prod: error: the plan does not hold any more: dittoinfra:absencePolls of the" in moved.stdout
    assert set(fleet.services("prod")) == {"media-adapter-nfs"}

    fleet.add_stack("prod")
    fleet.server("prod").set_adapter("nfs", port=13049)
    assert fleet.run("up", "prod", "-y").returncode == 0
    moved = fleet.run("up", "--plan", str(plan), "--yes")
    assert moved.returncode == 5
    assert "media/nfs was on port 12049, absent 0 times, and is" in moved.stdout
    assert "media/smb is new in what the stack remembers" in moved.stdout
    assert fleet.services("prod")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"] == 13049


def test_a_plan_is_refused_when_it_would_change_something_else(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    plan = _plan(fleet, "prod")
    content = json.loads(plan.read_text())
    changes = content["stacks"]["prod"]["changes"]
    service = next(change for change in changes if change["urn"].endswith("core/v1:Service::media/nfs"))
    changes.remove(service)
    changes.append({"operation": "delete", "urn": service["urn"].replace("nfs", "smb")})
    plan.write_text(json.dumps(content))

    done = fleet.run("up", "--plan", str(plan), "--yes")

    assert done.returncode == 5
    assert "it would now create Service media/nfs, which is not planned" in done.stdout
    assert "it would no longer delete Service media/smb, as planned" in done.stdout
    assert fleet.services("prod") == {}


def test_no_secret_is_in_a_plan(fleet: Fleet) -> None:
    deployed = fleet.block("prod", deploy={})
    deployed["api"] = {"url": fleet.server("prod").url, "username": "admin"}
    fleet.add_stack("prod", deployed)
    secrets = {
        "dittoinfra:passwords.media": PASSWORD,
        "dittoinfra:serverSecrets.media.jwt": JWT,
        "dittoinfra:serverSecrets.media.adminPassword": ADMIN,
    }
    assert fleet.pulumi("stack", "init", "prod").returncode == 0
    for key, value in secrets.items():
        assert fleet.pulumi("config", "set", "--secret", "--path", key, given=value).returncode == 0
    before = _plan(fleet, "prod").read_text()
    done = fleet.run("up", "prod", "-y")
    assert done.returncode == 0, done.stderr
    after = _plan(fleet, "prod").read_text()

    encrypted = yaml.safe_load(fleet.config_file("prod").read_text())
    for text in (before, after, done.stdout, done.stderr):
        assert all(secret not in text for secret in (*secrets.values(), encrypted["encryptionsalt"]))
    stack = json.loads(after)["stacks"]["prod"]
    assert any("kubernetes:core/v1:Secret" in urn for urn in stack["state"])
    assert len(stack["configuration"]["dittoinfra:passwords"]) == 128, "slow to guess"
    assert len(stack["configuration"]["dittoinfra:servers"]) == 64


@pytest.mark.parametrize(
    ("content", "exit_code", "words"),
    [
        ("", 2, "not JSON"),
        ('{"format": "dittoinfra-plan", "version": 2, "sta', 2, "only a part of one"),
        ("[1, 2]", 2, "not a plan of dittoinfra"),
        ('{"resources": {}}', 2, "not a plan of dittoinfra"),
        ('{"format": "dittoinfra-plan", "version": 9}', 2, "format version 9"),
        ('{"format": "dittoinfra-plan", "version": 2}', 2, "damaged plan: dittoinfra: Field required"),
    ],
)
def test_a_file_that_is_no_plan(fleet: Fleet, content: str, exit_code: int, words: str) -> None:
    path = fleet.root / "the.plan"
    path.write_text(content)

    done = fleet.run("up", "--plan", str(path), "--yes")

    assert done.returncode == exit_code
    (line,) = done.stderr.splitlines()
    assert str(path) in line
    assert words in line


def test_a_plan_for_others(fleet: Fleet) -> None:
    fleet.add_stacks("eu", "us")
    plan = _plan(fleet, "eu")

    done = fleet.run("up", "us", "--plan", str(plan), "--yes")
    assert (done.returncode, done.stderr) == (5, f"error: {plan} has no plan for us; it is for eu\n")

    content = json.loads(plan.read_text())
    plan.write_text(json.dumps({**content, "dittoinfra": "0.0.1"}))
    done = fleet.run("up", "--plan", str(plan), "--yes")
    assert done.returncode == 5
    assert "was made by dittoinfra 0.0.1" in done.stderr

    plan.write_text(json.dumps({**content, "project": "elsewhere"}))
    done = fleet.run("up", "--plan", str(plan), "--yes")
    assert done.returncode == 5
    assert "for the project 'elsewhere'" in done.stderr
