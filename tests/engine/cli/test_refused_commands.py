"""What cannot be done: one clear line, the right exit code, nothing changed."""

import re
from pathlib import Path

import pytest

from lab.bed.credentials import credential
from tests import ROOT
from tests.engine.cli.fleet_bed import Fleet

PACK = ["--policy-pack", str(ROOT / "policy")]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["up", "prod"], 2, ["--yes", "outside a terminal"]),
        (["destroy", "prod"], 2, ["--yes"]),
        (["up", "prod", "--json"], 2, ["--json", "--yes"]),
        (["preview", "pord"], 6, ["'pord'", "did you mean 'prod'?"]),
        (["preview", "q*", "porrd"], 6, ["no stack matches 'q*'", "'porrd'"]),
        (["refresh", "dev", "-y"], 6, ["dev"]),
        (["preview"], 2, ["which stack?", "dev, prod"]),
        (["preview", "prod", "--all"], 2, ["contradict"]),
        (["preview", "--tag", "ring=first"], 6, ["ring=first"]),
        (["preview", "prod", "--save", "x", "--refresh"], 2, ["--save", "dittoinfra refresh"]),
        (["preview", "prod", "--save", "nowhere/x.plan"], 2, ["--save nowhere/x.plan", "there is no folder"]),
        (["destroy", "prod", "-y", "--remove", "--target", "urn:x"], 2, ["--remove", "--target"]),
        (["up", "--plan", "x", "-f"], 2, ["--plan", "--skip-preview"]),
        (["up", "--plan", "x", "-y", "--all"], 2, ["--plan", "--all"]),
        (["up", "--plan", "missing.plan", "-y"], 2, ["missing.plan", "No such file"]),
        (["up", "prod", "-y", "--wait", "soon"], 2, ["--wait soon", "duration"]),
        (["preview", "prod", "--policy-pack", "no"], 2, ["--policy-pack no", "no PulumiPolicy.yaml"]),
        (["preview", "prod", *PACK, "--policy-pack-config", "stacks/Pulumi.prod.yaml"], 2, ["not JSON"]),
        (["--cwd", "/", "preview"], 2, ["Pulumi.yaml"]),
    ],
)
def test_one_line(fleet: Fleet, arguments: list[str], exit_code: int, words: list[str]) -> None:
    fleet.add_stacks("prod", "dev")

    done = fleet.run(*arguments)

    assert done.returncode == exit_code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    for word in words:
        assert word in line
    assert fleet.server("prod").requests == ()


def test_a_file_that_is_not_yaml_is_named_with_the_line(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.pulumi("stack", "init", "prod").returncode == 0
    file = fleet.config_file("prod")
    file.write_text("config:\n  dittoinfra:namespace: files\n  dittoinfra:servers: [\n")

    for arguments in (["preview", "prod"], ["status", "prod"], ["explain", "prod", "media"]):
        done = fleet.run(*arguments)

        assert done.returncode == 2, done.stderr
        assert "stacks/Pulumi.prod.yaml:4: is not YAML: " in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- prod\n", ["FILE:1: must be a block of settings"]),
        ("config: [a]\n", ["FILE:1: config must be a block of settings"]),
        (
            "config:\n  dittoinfra:servers:\n    - name: a\n      name: b\n",
            ["FILE:4: name is there twice, also in line 3; keep one"],
        ),
        (
            "config:\n  dittoinfra:absencePolls: many\n  dittoinfra:servers: media\n",
            [
                "FILE:2: dittoinfra:absencePolls: must be a valid integer (it is 'many')",
                "FILE:3: dittoinfra:servers: must be a valid list",
            ],
        ),
        ("config:\n  dittoinfra:namespace: files\n", ["the stack has no servers: "]),
    ],
)
def test_a_stacks_file_that_cannot_be_used_is_named_with_the_line(
    fleet: Fleet, text: str, said: list[str]
) -> None:
    fleet.config_file("prod").write_text(text)

    done = fleet.run("preview", "prod")

    assert done.returncode == 2, done.stderr
    for line in said:
        assert f"prod: error: {line.replace('FILE', 'stacks/Pulumi.prod.yaml')}" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_project_file_that_is_not_yaml_is_named_with_the_line(fleet: Fleet) -> None:
    (fleet.root / "Pulumi.yaml").write_text("name: dittoinfra\nconfig: [\n")

    done = fleet.run("preview", "prod")

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: Pulumi.yaml:3: is not YAML: ")


def test_a_wrong_password_on_a_new_stack_stops_it_with_the_place_of_the_password(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.pulumi("stack", "init", "prod").returncode == 0
    key = ("--secret", "--path", "dittoinfra:passwords.media")
    assert fleet.pulumi("config", "set", *key, given=credential("wrong")).returncode == 0
    file = fleet.config_file("prod")
    file.write_text(re.sub(r"\n *passwordEnv: .*", "", file.read_text()))
    [line] = [n for n, text in enumerate(file.read_text().splitlines(), 1) if "media:" in text]

    done = fleet.run("up", "prod", "--yes")

    assert done.returncode == 3, done.stdout
    assert f"password from dittoinfra:passwords.media in stacks/Pulumi.prod.yaml:{line} (HTTP" in done.stdout
    assert "refused, because the stack is new and no server accepts its login" in done.stdout
    assert fleet.services("prod") == {}
    told = fleet.run("status", "prod", "--json").stdout
    assert f"password from dittoinfra:passwords.media in stacks/Pulumi.prod.yaml:{line} (HTTP" in told


def test_a_wrong_flag_is_named(fleet: Fleet) -> None:
    done = fleet.run("up", "--ys")

    assert done.returncode == 2
    assert "--ys" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_or_missing_passphrase(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.run("up", "-y").returncode == 0

    done = fleet.run("up", "prod", "-y", environment={"PULUMI_CONFIG_PASSPHRASE": "wrong"})
    assert done.returncode == 3
    assert "prod: error: the stack's secrets cannot be read: PULUMI_CONFIG_PASSPHRASE is wrong" in done.stdout

    done = fleet.run("preview", "prod", without=("PULUMI_CONFIG_PASSPHRASE",))
    assert done.returncode == 3
    assert "set PULUMI_CONFIG_PASSPHRASE" in done.stdout


def test_no_cli_and_no_way_to_one(fleet: Fleet, tmp_path: Path) -> None:
    fleet.add_stack("prod")
    nowhere = {
        "PATH": str(tmp_path / "empty"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "GOPROXY": "off",
    }

    done = fleet.run("preview", "prod", environment=nowhere)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: no pulumi CLI")
    assert "https://www.pulumi.com/docs/install/" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_backend_that_is_not_there(fleet: Fleet) -> None:
    fleet.add_stack("prod")

    done = fleet.run("preview", "--all", environment={"PULUMI_BACKEND_URL": "file:///nowhere/at/all"})

    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "unable to open state directory" in line
