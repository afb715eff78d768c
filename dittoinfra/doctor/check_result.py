"""The result of one check: the single source of docs/schemas/doctor.schema.json, and how it is printed."""

from typing import Literal

from rich.console import Console
from rich.text import Text

from dittoinfra.exitcodes import ExitCode
from dittoinfra.json_document import Document, VersionedDocument

_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}


class CheckResult(Document):
    """One check."""

    check: str
    """What was looked at, such as `pulumi CLI` or `API media`."""
    stack: str | None = None
    """The stack it is about; null where it is about this machine or the whole project."""
    state: Literal["ok", "warning", "failed"]
    """The result: passed, passed with a warning, or failed."""
    text: str
    """What was found."""
    next: str | None = None
    """What to do about it; null where there is nothing to do."""
    exit_code: int = 0
    """The command's exit code if nothing else had failed."""
    role: str | None = None
    """A Role, as YAML, that would allow what is missing."""

    def of_stack(self, stack: str) -> "CheckResult":
        """This result, about a stack."""
        return self.model_copy(update={"stack": stack})


class DoctorDocument(VersionedDocument):
    """What `dittoinfra doctor --json` prints."""

    ok: bool
    """Whether nothing failed; there may be warnings."""
    checks: tuple[CheckResult, ...]
    """Every check, those about the machine first, then stack by stack."""


def ok(check: str, text: str) -> CheckResult:
    """Nothing to do."""
    return CheckResult(check=check, state="ok", text=text)


def warning(check: str, text: str, next_step: str) -> CheckResult:
    """It works, and should be looked at."""
    return CheckResult(check=check, state="warning", text=text, next=next_step)


def failed(
    check: str, text: str, next_step: str, exit_code: int = ExitCode.GENERIC, role: str | None = None
) -> CheckResult:
    """A run would stop here, or not do what it should."""
    return CheckResult(check=check, state="failed", text=text, next=next_step, exit_code=exit_code, role=role)


def print_result(console: Console, result: CheckResult) -> None:
    """One check, and what to do about it: with signs and colours in a terminal, in words elsewhere."""
    pretty = console.is_terminal and console.encoding.lower().startswith("utf")
    sign, colour = _SIGNS[result.state]
    place = f"{result.stack}: " if result.stack else ""
    text = Text.assemble((sign if pretty else result.state, colour), f" {place}{result.check}: ", result.text)
    if result.next is not None:
        style = "bold" if result.state == "failed" else ""
        text.append(f" {'→' if pretty else '->'} {result.next}", style=style)
    # Lines are for pipelines too: nothing may be wrapped or read as markup.
    console.print(text, soft_wrap=True, highlight=False)
    if result.role is not None:
        role = "".join(f"    {row}\n" for row in result.role.splitlines())
        console.print(Text(role), end="", soft_wrap=True)
