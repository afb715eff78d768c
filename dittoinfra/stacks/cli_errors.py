"""Errors of the CLI before an engine sends events, in one line and with an exit code."""

import os
import re
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.exitcodes import ExitCode

_LOCK = re.compile(r"created by (?P<who>\S+) \(pid (?P<pid>\d+)\) at (?P<since>\S+)")
_PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE"  # noqa: S105 - the variable's name, not its value

_PLUGIN = "'pulumi-resource-kubernetes'"
_HOW_TO_GET_THE_PLUGIN = (
    "run `pulumi plugin install resource kubernetes` where there is a network, "
    "or see docs/offline.md where there is none"
)

_KILLED = re.compile(r"^\s*code: -(?P<signal>\d+)", re.MULTILINE)
"""How the SDK reports that a signal ended the CLI."""

_PROVIDER_GONE = re.compile(
    "error reading from server: |connection error: desc = |transport is closing|client connection is closing"
    "|did not begin responding to RPC connections|did not come alive: failed to handshake"
    # Another process has got its port meanwhile, and is no provider: one in Python, or one in Go.
    "|Method not found!|unknown service pulumirpc.ResourceProvider"
)
"""How the engine reports that a provider does not answer any more, or never will."""

_CONFLICT = "[409] Conflict"
"""How Pulumi's service refuses a run while another one holds the stack; it does not name that one."""

INVALID_CONFIGURATION = "validating stack config"
"""How the engine refuses a value whose type is not the one that `Pulumi.yaml` declares."""

IsGone = Callable[[str, int], bool]
"""Whether a process, by its machine and its number, is known to have ended."""


class Lock(StrEnum):
    """The lock of another run, which kept a run from beginning."""

    HELD = "held"
    STALE = "stale"
    """Its holder has ended."""


@dataclass(frozen=True, slots=True)
class CliFailure:
    """Why the CLI did not begin."""

    line: str
    exit_code: int
    lock: Lock | None = None


def killed(output: str) -> CliFailure | None:
    """The failure where a signal ended the CLI, whatever it has printed before; None where none did."""
    code = _KILLED.search(output)
    if code is None:
        return None
    line = f"the pulumi CLI was ended by {signal_name(int(code['signal']))} in the middle of its work; "
    then = "run again with --break-lock: it releases the lock, and looks first what became of that work"
    return CliFailure(line + then, ExitCode.GENERIC)


def parse_failure(
    stack: str, output: str, exit_code: int, is_gone: IsGone = lambda *_: False
) -> CliFailure | None:
    """The failure that the CLI's output describes; None where it printed nothing."""
    words = _error(output)
    if words is None:
        return None
    known = known_failure(stack, output, exit_code, is_gone)
    return known or CliFailure(words, exit_code or ExitCode.GENERIC)


def known_failure(stack: str, output: str, exit_code: int, is_gone: IsGone) -> CliFailure | None:
    """The failure in words of ours, where it is one that users can do something about."""
    words = _error(output) or ""
    if "currently locked" in words or _CONFLICT in words:
        return _locked(stack, output, exit_code or ExitCode.GENERIC, is_gone)
    # The CLI reports both of these as generic errors; they are about permission to read the stack.
    if words.endswith("incorrect passphrase"):
        why = f"the stack's secrets cannot be read: {_PASSPHRASE} is wrong"
        return CliFailure(why, ExitCode.AUTHENTICATION)
    if _PASSPHRASE in words:
        why = f"the stack's secrets cannot be read: set {_PASSPHRASE} or {_PASSPHRASE}_FILE"
        return CliFailure(why, ExitCode.AUTHENTICATION)
    if words.endswith("failed to load checkpoint: EOF"):
        why = "a run was killed while it wrote the state, which is whole but cannot be read"
        return CliFailure(f"{why}; run again with --break-lock, which repairs it", exit_code)
    if "no stack named" in words:
        why = f"the backend has no stack {stack} yet; `dittoinfra up {stack}` makes it"
        return CliFailure(why, exit_code)
    return None


def with_next_step(error: str) -> str:
    """An error of the engine, with the next step where the engine does not name one."""
    if _PLUGIN in error:
        return f"{error}; {_HOW_TO_GET_THE_PLUGIN}"
    if provider_gone(error):
        return f"the Kubernetes provider has ended ({error}); run again with --refresh, which looks first"
    return error


def provider_gone(error: str) -> bool:
    """Whether an operation failed because the provider did not answer: it may have been done all the same."""
    return _PROVIDER_GONE.search(error) is not None


def _error(output: str) -> str | None:
    errors = [line.partition("error: ")[2].strip() for line in output.splitlines() if "error: " in line]
    return next(filter(None, reversed(errors)), None)


def signal_name(number: int) -> str:
    """The name of a signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _locked(stack: str, output: str, exit_code: int, is_gone: IsGone) -> CliFailure:
    # There may be several locks, where two runs have started at the same moment.
    locks = tuple(_LOCK.finditer(output))
    by = " and".join(f" by {lock['who']} (pid {lock['pid']}) since {lock['since']}" for lock in locks)
    if _CONFLICT in output:
        by = " by a run that Pulumi's service does not name"
    stale = bool(locks) and all(is_gone(lock["who"].rpartition("@")[2], int(lock["pid"])) for lock in locks)
    then = "that process has ended, so" if stale else "wait for that run to end or, if it is dead,"
    ways = f"`pulumi cancel --stack {stack}` or with --break-lock"
    line = f"the stack is locked{by}; {then} release the lock with {ways}"
    return CliFailure(line, exit_code, Lock.STALE if stale else Lock.HELD)


def is_gone(host: str, pid: int) -> bool:
    """Whether a process ran on this machine and has ended; never true of a process of another machine."""
    if host != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        # The process exists, and belongs to another user.
        return False
    return False
