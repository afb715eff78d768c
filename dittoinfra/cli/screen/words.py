"""An operation and its numbers in words. Pure."""

from dittoinfra.automation import Changes, Step
from dittoinfra.exitcodes import ExitCode
from dittoinfra.fleet import Operation, StackResult

_DONE = {
    Operation.PREVIEW: "previewed",
    Operation.UP: "updated",
    Operation.REFRESH: "refreshed",
    Operation.DESTROY: "destroyed",
}
_SIGNS = {"create": "+", "update": "~", "delete": "-", "replace": "±", "read": ">", "refresh": "~"}
"""As the engine draws them."""


def outcome(result: StackResult, *, foreseen: bool = False) -> str:
    """How it ended, in one word or two."""
    if result.report.ok:
        unchanged = result.operation is not Operation.DESTROY and not result.report.changes.any
        done = _DONE[Operation.PREVIEW if foreseen else result.operation]
        return "unchanged" if unchanged else done
    if result.cancelled:
        return "cancelled"
    return "would change" if result.report.exit_code == ExitCode.UNEXPECTED_CHANGES else "failed"


def counted(changes: Changes, *, foreseen: bool) -> str:
    """`2 to create, 1 unchanged` before, `2 created, 1 unchanged` after."""
    counts = [
        (changes.creates, "create"),
        (changes.updates, "update"),
        (changes.replaces, "replace"),
        (changes.deletes, "delete"),
    ]
    parts = [f"{n} to {verb}" if foreseen else f"{n} {verb}d" for n, verb in counts if n]
    if changes.sames:
        parts.append(f"{changes.sames} unchanged")
    return ", ".join(parts) or "nothing there"


def signed(changes: Changes) -> str:
    """`+2 ~1 -1`."""
    counts = [("+", changes.creates), ("~", changes.updates), ("±", changes.replaces), ("-", changes.deletes)]
    return " ".join(f"{sign}{n}" for sign, n in counts if n)


def sign(step: Step) -> str:
    """The sign of one step."""
    return _SIGNS.get(step.operation.partition("-")[0], "±")


def resource(step: Step) -> str:
    """`Service media/nfs`."""
    return f"{step.type.rpartition(':')[2]} {step.name}"


def trouble(result: StackResult) -> str:
    """The line that tells most of how it went: the first error, else the first warning."""
    lines = result.report.lines("error") or result.report.lines("warning")
    return lines[0] if lines else ""


def duration(seconds: float) -> str:
    """`4.2 s`, `1 min 5 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def stacks(count: int) -> str:
    """`1 stack`, `6 stacks`."""
    return f"{count} stack" + ("" if count == 1 else "s")
