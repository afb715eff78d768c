"""What the CLI says before its engine runs."""

import os
import socket
import subprocess
import sys

import pytest

from dittoinfra.stacks.cli_errors import (
    CliFailure,
    Lock,
    is_gone,
    killed,
    parse_failure,
    provider_gone,
    with_next_step,
)
from dittoinfra.stacks.cli_process import CliFailedError, cli_failure
from dittoinfra.stacks.engine_events import is_about_plugins

LOCKED = """
 code: 1
 stdout:
 stderr: error: the stack is currently locked by 1 lock(s). Either wait or use `pulumi cancel`.
  file:///state/locks/1.json: created by root@vm (pid 1224) at 2026-11-16T06:56:55Z
"""


def test_a_lock_names_its_owner_and_both_ways_out() -> None:
    found = parse_failure("prod", LOCKED, 1)

    assert found == CliFailure(
        "the stack is locked by root@vm (pid 1224) since 2026-11-16T06:56:55Z; wait for that run to end or, "
        "if it is dead, release the lock with `pulumi cancel --stack prod` or with --break-lock",
        1,
        Lock.HELD,
    )


def test_a_lock_of_pulumis_service_has_the_same_ways_out() -> None:
    output = (
        "error: [409] Conflict: Another update is currently in progress.\nTo learn more, visit the page\n"
    )

    found = cli_failure("prod", CliFailedError(("stack", "import"), 255, output))

    assert found == CliFailure(
        "the stack is locked by a run that Pulumi's service does not name; wait for that run to end or, if "
        "it is dead, release the lock with `pulumi cancel --stack prod` or with --break-lock",
        255,
        Lock.HELD,
    )


def test_a_question_that_a_lock_refuses_is_told_by_its_cause_and_not_by_its_last_line() -> None:
    elsewhere = LOCKED.replace("@vm", "@elsewhere")
    asked = CliFailedError(("stack", "import"), 1, elsewhere)

    assert cli_failure("prod", asked).line.startswith(
        "the stack is locked by root@elsewhere (pid 1224) since"
    )
    assert cli_failure("prod", asked).lock is Lock.HELD


def test_a_failure_that_is_not_known_is_told_as_the_cli_tells_it() -> None:
    asked = CliFailedError(("stack", "rm"), 4, "error: it still has resources")

    assert cli_failure("prod", asked) == CliFailure("pulumi stack rm: it still has resources", 4)


def test_a_lock_says_so_where_its_owner_has_ended() -> None:
    asked: list[tuple[str, int]] = []

    def has_ended(host: str, pid: int) -> bool:
        asked.append((host, pid))
        return True

    found = parse_failure("prod", LOCKED, 1, has_ended)

    assert asked == [("vm", 1224)]
    assert found == CliFailure(
        "the stack is locked by root@vm (pid 1224) since 2026-11-16T06:56:55Z; that process has ended, so "
        "release the lock with `pulumi cancel --stack prod` or with --break-lock",
        1,
        lock=Lock.STALE,
    )


def test_a_lock_is_not_called_dead_while_one_of_its_holders_may_live() -> None:
    second = f"{LOCKED}  file:///state/locks/2.json: created by ann@desk (pid 7) at 2026-11-16T06:56:56Z\n"

    found = parse_failure("prod", second, 1, lambda host, pid: host == "vm")

    assert found is not None
    assert found.lock is Lock.HELD
    assert "since 2026-11-16T06:56:55Z and by ann@desk (pid 7) since" in found.line
    assert "wait for that run to end" in found.line


def test_only_a_process_of_this_machine_is_known_to_have_ended() -> None:
    here = socket.gethostname()
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()

    assert is_gone(here, process.pid)
    assert not is_gone(f"not-{here}", process.pid), "another machine has numbers of its own"
    assert not is_gone(here, os.getpid())


@pytest.mark.parametrize(
    ("said", "exit_code", "line"),
    [
        (" stderr: error: get secrets manager: incorrect passphrase", 3, "PULUMI_CONFIG_PASSPHRASE is wrong"),
        (
            " stderr: error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or so",
            3,
            "set PULUMI_CONFIG",
        ),
        (" stderr: error: no stack named 'x' found", 6, "has no stack x yet; `dittoinfra up x` makes it"),
        (" stderr: error: the stack is currently locked by 1 lock(s).", 6, "the stack is locked; wait"),
    ],
)
def test_other_words(said: str, exit_code: int, line: str) -> None:
    found = parse_failure("x", said, 6)

    assert found is not None
    assert found.exit_code == exit_code
    assert line in found.line


def test_silence() -> None:
    assert parse_failure("x", " code: 1\n stdout: \n stderr: ", 1) is None
    assert killed(" code: 1\n stdout: \n stderr: ") is None


def test_a_killed_cli_has_a_name_for_what_killed_it_and_a_next_step() -> None:
    found = killed("\n code: -9\n stdout: \n stderr: error: half a line")

    assert found == CliFailure(
        "the pulumi CLI was ended by SIGKILL in the middle of its work; run again with --break-lock: it "
        "releases the lock, and looks first what became of that work",
        1,
    )
    asked = CliFailedError(("stack", "export", "--stack"), -9, "")
    assert str(asked) == "pulumi stack export: it was ended by SIGKILL; run again"
    assert asked.exit_code == 1


@pytest.mark.parametrize(
    "said",
    [
        "error reading from server: EOF",
        'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: refused"',
        "kubernetes (resource) plugin [kubernetes] did not begin responding to RPC connections",
        "kubernetes (resource) plugin [kubernetes] did not come alive: failed to handshake with 'kubernetes'",
        "Method not found!",
        "unknown service pulumirpc.ResourceProvider",
    ],
)
def test_a_provider_that_has_ended_is_named_with_a_next_step(said: str) -> None:
    assert with_next_step(said) == (
        f"the Kubernetes provider has ended ({said}); run again with --refresh, which looks first"
    )
    assert not provider_gone("Service files/media already exists and this stack did not make it")
    assert not provider_gone("Post https://10.0.0.1:6443/api: dial tcp 10.0.0.1:6443: connection refused")


def test_a_provider_that_cannot_be_had_comes_with_two_ways_to_get_it() -> None:
    missing = "no resource plugin 'pulumi-resource-kubernetes' found"

    assert with_next_step(missing).startswith(missing)
    assert "`pulumi plugin install resource kubernetes`" in with_next_step(missing)
    assert "docs/offline.md" in with_next_step(missing)
    assert with_next_step("the cluster went away") == "the cluster went away"


@pytest.mark.parametrize(
    ("severity", "text", "noise"),
    [
        (
            "warning",
            "using pulumi-resource-kubernetes from $PATH at /usr/bin/pulumi-resource-kubernetes",
            True,
        ),
        (
            "warning",
            "resource plugin kubernetes is expected to have version >=4.34.2, but has 4.32.0; …",
            True,
        ),
        ("info", "[resource plugin kubernetes-4.34.2] installing", True),
        ("info", "Error downloading plugin: EOF\nWill retry in 80ms [1/5]", True),
        ("error", "unable to download plugin kubernetes-4.34.2: no route to host", False),
        ("warning", "media: unreachable: using pulumi-resource-kubernetes from $PATH at", False),
    ],
)
def test_what_is_about_plugins_is_about_no_stack(severity: str, text: str, noise: bool) -> None:
    assert is_about_plugins(severity, text) is noise
