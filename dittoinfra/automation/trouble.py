"""What the CLI says before it has an engine to send events, in one line and with an exit code. Pure."""

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass

from dittoinfra.exitcodes import ExitCode

_LOCK = re.compile(r"created by (?P<who>\S+) \(pid (?P<pid>\d+)\) at (?P<since>\S+)")
_PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE"  # noqa: S105 - the variable's name, not what is in it

_PLUGIN = "'pulumi-resource-kubernetes'"

_KILLED = re.compile(r"^\s*code: -(?P<signal>\d+)", re.MULTILINE)
"""How the SDK says that a signal ended the CLI."""

_PROVIDER_GONE = re.compile(
    "error reading from server: |connection error: desc = |transport is closing|client connection is closing"
    "|did not begin responding to RPC connections"
    # Somebody else has got its port meanwhile, and is no provider.
    "|Method not found!"
)
"""How the engine says that a provider does not answer any more, or never will."""

IsGone = Callable[[str, int], bool]
"""Whether a process, by its machine and its number, is known to have ended."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the CLI did not even begin."""

    line: str
    exit_code: int
    stale_lock: bool = False
    """Whether it was a lock whose holder has ended."""


def killed(said: str) -> Trouble | None:
    """That the CLI itself was ended by a signal, whatever it has said before; None where it was not."""
    code = _KILLED.search(said)
    if code is None:
        return None
    line = f"the pulumi CLI was ended by {signal_name(int(code['signal']))} in the middle of its work; "
    then = "run again with --break-lock: it releases the lock, and looks first what became of that work"
    return Trouble(line + then, ExitCode.GENERIC)


def trouble(stack: str, said: str, exit_code: int, is_gone: IsGone = lambda *_: False) -> Trouble | None:
    """What the CLI's own words come to; None where it said nothing."""
    words = _error(said)
    if words is None:
        return None
    if "currently locked" in words:
        return _locked(stack, said, exit_code or ExitCode.GENERIC, is_gone)
    # The CLI calls both of these generic; they are about who may read the stack.
    if words.endswith("incorrect passphrase"):
        return Trouble(f"the stack's secrets cannot be read: {_PASSPHRASE} is wrong", ExitCode.AUTHENTICATION)
    if _PASSPHRASE in words:
        why = f"the stack's secrets cannot be read: set {_PASSPHRASE} or {_PASSPHRASE}_FILE"
        return Trouble(why, ExitCode.AUTHENTICATION)
    if words.endswith("failed to load checkpoint: EOF"):
        why = "a run was killed while it wrote the state, which is whole but cannot be read"
        return Trouble(f"{why}; run again with --break-lock, which mends that", exit_code)
    if "no stack named" in words:
        return Trouble(f"the backend has no stack {stack} yet; `dittoinfra up {stack}` makes it", exit_code)
    return Trouble(words, exit_code or ExitCode.GENERIC)


def with_next_step(error: str) -> str:
    """An error of the engine's, with what to do about it where the engine does not know."""
    if _PLUGIN in error:
        return f"{error}; where it cannot be had, --stand-in uses the built-in stand-in for it"
    if provider_gone(error):
        return f"the Kubernetes provider has ended ({error}); run again with --refresh, which looks first"
    return error


def provider_gone(error: str) -> bool:
    """Whether an operation failed because nobody was there to answer: it may have been done all the same."""
    return _PROVIDER_GONE.search(error) is not None


def _error(said: str) -> str | None:
    errors = [line.partition("error: ")[2].strip() for line in said.splitlines() if "error: " in line]
    return next(filter(None, reversed(errors)), None)


def signal_name(number: int) -> str:
    """What people call a signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _locked(stack: str, said: str, exit_code: int, is_gone: IsGone) -> Trouble:
    # There may be several, where two runs have come at the same moment.
    locks = tuple(_LOCK.finditer(said))
    by = " and".join(f" by {lock['who']} (pid {lock['pid']}) since {lock['since']}" for lock in locks)
    stale = bool(locks) and all(is_gone(lock["who"].rpartition("@")[2], int(lock["pid"])) for lock in locks)
    then = "that process has ended, so" if stale else "wait for that run to end or, if it is dead,"
    ways = f"`pulumi cancel --stack {stack}` or with --break-lock"
    return Trouble(f"the stack is locked{by}; {then} release the lock with {ways}", exit_code, stale)
