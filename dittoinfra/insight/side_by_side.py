"""The same question about several stacks, a few at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dittoinfra.automation import Processes, Project, ProjectStack
from dittoinfra.automation.waiting import results
from dittoinfra.exitcodes import ExitCode
from dittoinfra.loading import load_ahead

Found = TypeVar("Found")

Failed = Callable[[str, str, int], Found]
"""What is found about a stack of which nobody can tell: its name, one line, an exit code."""


def side_by_side(
    project: Project,
    stacks: Sequence[str],
    question: Callable[[ProjectStack], Found],
    failed: Failed[Found],
    *,
    at_once: int,
    processes: Processes,
) -> list[Found]:
    """What is found about each stack, in the order in which they were named; none is in another's way."""
    load_ahead()

    def asked(name: str) -> Found:
        if processes.interrupted:
            return failed(name, "cancelled before it was asked about", ExitCode.CANCELLED)
        try:
            return question(project.stack(name))
        except Exception as error:  # noqa: BLE001 - no bug of ours on one stack may take the others along
            # Only its type: the text of an unforeseen error may hold anything, even a password.
            return failed(name, f"internal error: {type(error).__name__}; please report it", 1)

    with ThreadPoolExecutor(at_once, "stack") as pool:
        return results([pool.submit(asked, name) for name in stacks])
