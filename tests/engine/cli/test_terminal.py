"""Output in a terminal: the progress table, the confirmation prompt, and cancelling."""

import json
import re
import socket
import subprocess
import sys

import pytest

from tests.engine.cli.fleet_bed import Fleet
from tests.engine.cli.terminal import Terminal


def test_up_shows_the_preview_and_asks_once(fleet: Fleet) -> None:
    fleet.add_stacks("eu", "us")

    declined = Terminal(fleet, "up", "--all")
    declined.type_after("Update 2 stacks?", "details\n")
    declined.type_after("Update 2 stacks?", "no\n")
    exit_code, screen = declined.end()
    assert exit_code == 8
    assert "declined: nothing was changed" in screen

    interrupted = Terminal(fleet, "up", "--all")
    interrupted.type_after("Update 2 stacks?", "\x03")
    exit_code, screen = interrupted.end()
    assert exit_code == 8
    assert "Traceback" not in screen
    assert fleet.services("eu") == {}

    approved = Terminal(fleet, "up", "--all")
    approved.type_after("Update 2 stacks?", "yes\n")
    exit_code, screen = approved.end()
    assert exit_code == 0
    assert "updating" in screen
    assert re.search(r"eu +.*updated.*1 created", screen)
    assert "2 stacks: 2 updated" in screen
    assert "media-adapter-nfs" in fleet.services("eu")


@pytest.mark.parametrize(
    ("command", "question", "answers", "exit_code"),
    [
        ("up", "Update eu?", ["maybe\n", "YES\n"], 0),
        ("up", "Update eu?", ["N\n"], 8),
        ("refresh", "Refresh the state of eu?", ["yess\n", " Y \n"], 0),
        ("destroy", "Destroy everything in eu?", ["D\n", "No\n"], 8),
        ("destroy", "Destroy everything in eu?", ["\n"], 8),
    ],
)
def test_answers_are_short_or_long_and_anything_else_is_asked_again(
    fleet: Fleet, command: str, question: str, answers: list[str], exit_code: int
) -> None:
    fleet.add_stack("eu")
    assert fleet.run("up", "eu", "-y").returncode == 0

    terminal = Terminal(fleet, command, "eu")
    for answer in answers:
        terminal.type_after(question, answer)

    assert terminal.end()[0] == exit_code, terminal.seen
    assert "media-adapter-nfs" in fleet.services("eu")


@pytest.mark.parametrize("variable", ["NO_COLOR", "CI"])
def test_plain_lines_where_they_are_wanted(fleet: Fleet, variable: str) -> None:
    fleet.add_stack("eu")

    exit_code, screen = Terminal(fleet, "preview", "eu", **{variable: "1"}).end()

    assert exit_code == 0
    assert "\x1b" not in screen
    assert "eu: previewed: 1 to create" in screen


def test_a_started_stand_in_is_attached_by_what_it_prints(fleet: Fleet) -> None:
    fleet.add_stack("eu")
    fleet.render("eu")
    command = [sys.executable, "-m", "lab.standin"]

    with subprocess.Popen(
        command, cwd=fleet.root, env=fleet.environment, stdout=subprocess.PIPE, text=True
    ) as standin:
        assert standin.stdout is not None
        exported = dict(standin.stdout.readline().strip().split("=", 1) for _ in range(2))
        done = fleet.run("up", "eu", "-y", environment=exported)
        standin.terminate()

    assert done.returncode == 0, done.stderr
    assert list((fleet.root / "rendered").rglob("*-media-adapter-nfs.yaml"))
    assert fleet.services("eu") == {}


def test_a_lock_whose_holder_has_ended_is_released_on_request(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.run("up", "prod", "--yes").returncode == 0
    fleet.server("prod").set_adapter("nfs", port=13049)
    lock = fleet.root / "state/.pulumi/locks/organization/dittoinfra/prod/0.json"
    with subprocess.Popen([sys.executable, "-c", "pass"]) as ended:
        ended.wait()
    holder = {"pid": ended.pid, "username": "ann", "hostname": socket.gethostname()}
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text(json.dumps({**holder, "timestamp": "2026-01-01T00:00:00Z"}))

    terminal = Terminal(fleet, "up", "prod")
    terminal.type_after("Update prod?", "yes\r")
    terminal.type_after("The run that locked prod has ended. Release the lock?", "no\r")
    refused, reason = terminal.end()
    kept = lock.exists()

    terminal = Terminal(fleet, "up", "prod")
    terminal.type_after("Update prod?", "yes\r")
    terminal.type_after("Release the lock?", "yes\r")
    terminal.type_after("Update prod?", "yes\r")
    done, screen = terminal.end()

    assert (refused, kept) == (1, True)
    assert "that process has ended, so release the lock" in reason
    assert done == 0, screen
    assert not lock.exists()
    assert fleet.services("prod")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"] == 13049
