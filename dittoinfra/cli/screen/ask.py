"""One question for all stacks, after everything that is foreseen has been shown."""

from collections.abc import Sequence

from rich.prompt import Prompt

from dittoinfra.cli.interrupts import Cancelled, cancelling
from dittoinfra.cli.screen.board import Board
from dittoinfra.cli.screen.consoles import console as new_console
from dittoinfra.cli.screen.lines import Lines
from dittoinfra.cli.screen.summary import show_changes, show_printed, show_summary
from dittoinfra.cli.screen.words import stacks
from dittoinfra.fleet import FleetResult, Operation

_VERBS = {
    Operation.UP: "Update",
    Operation.REFRESH: "Refresh the state of",
    Operation.DESTROY: "Destroy everything in",
}


def may_release(stacks_held: Sequence[str]) -> bool:
    """Ask whether locks are released whose holders have ended: it is never done unasked."""
    return (
        _answered(
            f"\nThe run that locked {', '.join(stacks_held)} has ended. Release the lock?", ["yes", "no"]
        )
        == "yes"
    )


def approved(screen: Board | Lines, foreseen: FleetResult, operation: Operation) -> bool:
    """Show it, and ask; `details` shows what the engine printed and asks again."""
    console = new_console(stderr=True)
    good = [result for result in foreseen.results if result.report.ok]
    with screen.paused():
        show_changes(console, good)
        show_summary(console, foreseen, foreseen=True)
        if not good:
            # Nothing can be done: what is wrong has been said, and asking would be a bad joke.
            return True
        names = good[0].stack if len(good) == 1 else stacks(len(good))
        while True:
            answer = _answered(f"\n{_VERBS[operation]} {names}?", ["yes", "no", "details"])
            if answer != "details":
                return answer == "yes"
            show_printed(console, good)


def _answered(question: str, choices: list[str]) -> str:
    console = new_console(stderr=True)
    try:
        with cancelling():
            return Prompt.ask(question, console=console, choices=choices, default="no")
    except (EOFError, Cancelled):
        console.print()
        return "no"
