"""In a terminal: a table that moves, one question, and a way out of it."""

import fcntl
import json
import os
import pty
import re
import socket
import struct
import subprocess
import sys
import termios

import pytest
import yaml

from tests.cli.fleet_bed import PROGRAM, TIMEOUT, Fleet


class Terminal:
    """The command in a terminal of its own, and a person who types."""

    def __init__(self, fleet: Fleet, *arguments: str, **environment: str) -> None:
        self._end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.seen = ""
        variables = {k: v for k, v in fleet.environment.items() if k not in ("CI", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=fleet.root,
            env={**variables, "TERM": "xterm-256color", **environment},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other)

    def type_after(self, words: str, keys: str) -> None:
        """Wait for words on the screen, then type."""
        while words not in self.seen:
            assert self._read(), f"ended without {words!r}: {self.seen}"
        self.seen = self.seen.partition(words)[2]
        os.write(self._end, keys.encode())

    def end(self) -> tuple[int, str]:
        """Its exit code, and what was on the screen since something was typed last."""
        while self._read():
            pass
        os.close(self._end)
        return self.process.wait(TIMEOUT), self.seen

    def _read(self) -> bool:
        try:
            read = os.read(self._end, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return False
        self.seen += read
        return bool(read)


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
    assert re.search(r"eu +.*updated.*4 created", screen)
    assert "2 stacks: 2 updated" in screen
    assert "media-adapter-nfs" in fleet.services("eu")


@pytest.mark.parametrize("variable", ["NO_COLOR", "CI"])
def test_plain_lines_where_they_are_wanted(fleet: Fleet, variable: str) -> None:
    fleet.add_stack("eu")

    exit_code, screen = Terminal(fleet, "preview", "eu", **{variable: "1"}).end()

    assert exit_code == 0
    assert "\x1b" not in screen
    assert "eu: previewed: 4 to create" in screen


def test_the_stand_in_is_always_named_as_what_it_is(fleet: Fleet) -> None:
    fleet.add_stack("eu")
    path = fleet.config_file("eu")
    content = yaml.safe_load(path.read_text())
    content["config"]["kubernetes:renderYamlToDirectory"] = "rendered"
    path.write_text(yaml.safe_dump(content))

    done = fleet.run(
        "up", "eu", "-y", environment={"DITTOINFRA_STANDIN": "1"}, without=["PULUMI_DEBUG_PROVIDERS"]
    )

    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.splitlines()[0] == "Kubernetes provider: the stand-in, not the official one (--stand-in)"
    )
    assert list((fleet.root / "rendered").rglob("service-media-adapter-nfs.yaml"))


def test_a_lock_whose_holder_has_ended_is_released_when_somebody_says_so(fleet: Fleet) -> None:
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
    terminal.type_after("that process has ended, so release the lock", "")
    terminal.type_after("The run that locked prod has ended. Release the lock?", "no\r")
    refused, _ = terminal.end()
    kept = lock.exists()

    terminal = Terminal(fleet, "up", "prod")
    terminal.type_after("Update prod?", "yes\r")
    terminal.type_after("Release the lock?", "yes\r")
    terminal.type_after("Update prod?", "yes\r")
    done, screen = terminal.end()

    assert (refused, kept) == (1, True)
    assert done == 0, screen
    assert not lock.exists()
    assert fleet.services("prod")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"] == 13049
