"""Ctrl-C in the middle of an update: what is under way is finished, and the next run does the rest."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.dittofs import wait_until
from tests.engine.cli import fleet_bed
from tests.engine.cli.fleet_bed import TIMEOUT, Fleet, read_until
from tests.engine.world import CREDENTIALS

pytestmark = pytest.mark.long


class SlowProvider:
    """Holds up the creation of Services until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, operation: str, urn: str) -> str | None:
        if operation in ("create", "update") and "core/v1:Service" in urn:
            self.reached.set()
            self.let_go.wait(TIMEOUT)
        return None


@pytest.fixture
def provider() -> Iterator[SlowProvider]:
    slow = SlowProvider()
    yield slow
    slow.let_go.set()


@pytest.fixture
def slow(pulumi_cli: PulumiCommand, tmp_path: Path, provider: SlowProvider) -> Iterator[Fleet]:
    with fleet_bed.fleet(tmp_path, pulumi_cli, fail_on=provider) as fleet:
        fleet.add_stacks("one", "two", "three")
        yield fleet


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_finishes_what_is_under_way(
    slow: Fleet, provider: SlowProvider, number: signal.Signals
) -> None:
    process = slow.start("up", "one", "two", "three", "--yes", "--at-once", "1")
    assert provider.reached.wait(TIMEOUT)
    process.send_signal(number)
    read_until(process, "interrupted: finishing the current operation")
    provider.let_go.set()
    stdout, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 8
    assert "one: cancelled (exit code 8)" in stdout
    assert "three: error: cancelled before it began" in stdout
    assert "3 stacks: 3 cancelled" in stdout
    assert "Traceback" not in stderr
    assert set(slow.services("one")) == {"media-adapter-nfs"}, "what was under way is there"
    assert slow.services("two") == {}
    state = json.loads(slow.pulumi("stack", "export", "--stack", "one").stdout)["deployment"]
    assert not state.get("pending_operations")

    done = slow.run("up", "--all", "--yes")
    assert done.returncode == 0, done.stderr
    assert all(set(slow.services(stack)) == {"media-adapter-nfs"} for stack in ("one", "two", "three"))


def test_the_second_interrupt_ends_it_and_the_next_run_still_finishes(
    slow: Fleet, provider: SlowProvider
) -> None:
    process = slow.start("up", "one", "--yes")
    assert provider.reached.wait(TIMEOUT)
    process.send_signal(signal.SIGINT)
    read_until(process, "interrupted")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=TIMEOUT)
    provider.let_go.set()

    assert process.returncode == 8
    assert "ending at once; the lock stays until --break-lock releases it" in stderr
    assert "one: cancelled" in stdout
    assert "Traceback" not in stderr

    locked = slow.run("up", "one", "--yes")
    assert locked.returncode == 1
    assert "one: error: the stack is locked by " in locked.stdout
    assert "`pulumi cancel --stack one` or with --break-lock" in locked.stdout

    done = slow.run("up", "one", "--yes", "--break-lock")
    assert done.returncode == 0, done.stderr
    assert "media/nfs: an earlier run was interrupted while creating it" in done.stderr
    assert set(slow.services("one")) == {"media-adapter-nfs"}
    again = slow.run("up", "one", "--yes")
    assert again.returncode == 0
    assert "interrupted" not in again.stderr, "nothing of it is left in the state"
    assert "one: unchanged" in again.stdout


def test_an_update_that_was_killed_is_done_again(slow: Fleet, provider: SlowProvider) -> None:
    provider.let_go.set()
    assert slow.run("up", "one", "--yes").returncode == 0
    slow.server("one").set_adapter("nfs", port=13049)
    provider.let_go.clear()
    provider.reached.clear()
    process = slow.start("up", "one", "--yes")
    assert provider.reached.wait(TIMEOUT)
    process.send_signal(signal.SIGINT)
    read_until(process, "interrupted")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    provider.let_go.set()

    assert slow.run("up", "one", "--yes", "--break-lock").returncode == 0
    again = slow.run("up", "one", "--yes")
    assert again.returncode == 0
    assert "interrupted" not in again.stderr
    assert slow.services("one")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"] == 13049


def test_a_server_that_hangs_does_not_hold_up_the_end(fleet: Fleet) -> None:
    block = fleet.block("one")
    block["api"] |= {"deadline": "60s", "requestTimeout": "60s"}
    fleet.add_stack("one", block)
    fleet.server("one").delay(50)
    process = fleet.start("preview", "one")
    read_until(process, "previewing")
    wait_until(lambda: bool(fleet.server("one").requests))
    assert process.poll() is None

    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 8
    assert time.monotonic() - began < 40
    assert "one: cancelled" in stdout
    assert "Traceback" not in stderr


def test_an_interrupt_ends_the_waiting_for_a_new_server(fleet: Fleet) -> None:
    fleet.add_stack("new", fleet.block("new", deploy={"credentials": CREDENTIALS}))
    fleet.server("new").stop()
    process = fleet.start("up", "new", "--yes")
    read_until(process, "waiting until it answers")

    process.send_signal(signal.SIGTERM)
    stdout, _ = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 8
    assert "new: error: cancelled while waiting; the update itself is done" in stdout


def test_a_state_that_a_kill_has_made_unreadable_is_mended(fleet: Fleet) -> None:
    fleet.add_stacks("one")
    assert fleet.run("up", "one", "--yes").returncode == 0
    # A CLI that is killed while it writes a state can leave this file empty.
    attributes = fleet.root / "state" / ".pulumi" / "stacks" / "dittoinfra" / "one.json.attrs"
    assert attributes.read_text()
    attributes.write_text("")

    broken = fleet.run("up", "one", "--yes")
    mended = fleet.run("up", "one", "--yes", "--break-lock")

    assert broken.returncode != 0
    assert "run again with --break-lock, which repairs it" in broken.stdout
    assert mended.returncode == 0, mended.stderr
    assert "one: unchanged" in mended.stdout
