"""What cannot be done: one clear line, the right exit code, nothing changed."""

from pathlib import Path

import pytest

from tests.cli.fleet_bed import Fleet


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
    assert "prod: error: the stack's secrets cannot be read: PULUMI_CONFIG_PASSPHRASE is wrong" in done.stderr

    done = fleet.run("preview", "prod", without=("PULUMI_CONFIG_PASSPHRASE",))
    assert done.returncode == 3
    assert "set PULUMI_CONFIG_PASSPHRASE" in done.stderr


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
