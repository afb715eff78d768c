"""What one check came to: the single source of docs/schemas/doctor.schema.json."""

from collections.abc import Sequence
from typing import Literal

from dittoinfra.document import Document
from dittoinfra.exitcodes import ExitCode

State = Literal["ok", "warning", "failed"]


class Line(Document):
    """One check."""

    check: str
    """What was looked at, such as `pulumi CLI` or `API media`."""
    stack: str | None = None
    """The stack it is about; null where it is about this machine or the whole project."""
    state: State
    """How it stands."""
    text: str
    """What was found."""
    next: str | None = None
    """What to do about it; null where there is nothing to do."""
    exit_code: int = 0
    """The command's exit code if nothing else had failed."""
    role: str | None = None
    """A Role, as YAML, that would allow what is missing."""


class DoctorDocument(Document):
    """What `dittoinfra doctor --json` prints."""

    ok: bool
    """Whether nothing failed; there may be warnings."""
    checks: tuple[Line, ...]
    """Every check, those about the machine first, then stack by stack."""


def ok(check: str, text: str, stack: str | None = None) -> Line:
    """Nothing to do."""
    return Line(check=check, stack=stack, state="ok", text=text)


def warning(check: str, text: str, next_step: str, stack: str | None = None) -> Line:
    """It works, and should be looked at."""
    return Line(check=check, stack=stack, state="warning", text=text, next=next_step)


def failed(
    check: str,
    text: str,
    next_step: str,
    stack: str | None = None,
    exit_code: int = ExitCode.GENERIC,
    role: str | None = None,
) -> Line:
    """A run would stop here, or not do what it should."""
    return Line(
        check=check, stack=stack, state="failed", text=text, next=next_step, exit_code=exit_code, role=role
    )


def split(said: str, otherwise: str) -> tuple[str, str]:
    """A cause and its next step out of one of our own lines, which end in it."""
    cause, semicolon, step = said.rpartition("; ")
    return (cause, step) if semicolon else (said, otherwise)


def exit_code(lines: Sequence[Line]) -> int:
    """The code of the only kind of failure, or else 1; 0 where nothing failed."""
    codes = {line.exit_code for line in lines if line.state == "failed"}
    return codes.pop() if len(codes) == 1 else int(bool(codes))
