"""What the CLI says before it has an engine to send events, in one line and with an exit code. Pure."""

import re
from dataclasses import dataclass

from dittoinfra.exitcodes import ExitCode

_LOCK = re.compile(r"created by (?P<who>\S+) \(pid (?P<pid>\d+)\) at (?P<since>\S+)")
_PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE"  # noqa: S105 - the variable's name, not what is in it

_PLUGIN = "'pulumi-resource-kubernetes'"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the CLI did not even begin."""

    line: str
    exit_code: int


def trouble(stack: str, said: str, exit_code: int) -> Trouble | None:
    """What the CLI's own words come to; None where it said nothing."""
    words = _error(said)
    if words is None:
        return None
    if "currently locked" in words:
        return Trouble(_locked(stack, said), exit_code or ExitCode.GENERIC)
    # The CLI calls both of these generic; they are about who may read the stack.
    if words.endswith("incorrect passphrase"):
        return Trouble(f"the stack's secrets cannot be read: {_PASSPHRASE} is wrong", ExitCode.AUTHENTICATION)
    if _PASSPHRASE in words:
        why = f"the stack's secrets cannot be read: set {_PASSPHRASE} or {_PASSPHRASE}_FILE"
        return Trouble(why, ExitCode.AUTHENTICATION)
    if "no stack named" in words:
        return Trouble(f"the backend has no stack {stack} yet; `dittoinfra up {stack}` makes it", exit_code)
    return Trouble(words, exit_code or ExitCode.GENERIC)


def with_next_step(error: str) -> str:
    """An error of the engine's, with what to do about it where the engine does not know."""
    if _PLUGIN in error:
        return f"{error}; where it cannot be had, --stand-in uses the built-in stand-in for it"
    return error


def _error(said: str) -> str | None:
    errors = [line.partition("error: ")[2].strip() for line in said.splitlines() if "error: " in line]
    return next(filter(None, reversed(errors)), None)


def _locked(stack: str, said: str) -> str:
    lock = _LOCK.search(said)
    by = f" by {lock['who']} (pid {lock['pid']}) since {lock['since']}" if lock else ""
    return (
        f"the stack is locked{by}; wait for that run to end or, if it is dead, release the lock with "
        f"`pulumi cancel --stack {stack}` or with --break-lock"
    )
