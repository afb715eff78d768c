"""What those who watch an operation are told while it goes on."""

from enum import StrEnum
from typing import Protocol

from dittoinfra.automation import Diagnostic
from dittoinfra.fleet.result import StackResult


class Phase(StrEnum):
    """What is being done to a stack right now."""

    PREVIEWING = "previewing"
    UPDATING = "updating"
    WAITING = "waiting for servers"
    REFRESHING = "refreshing"
    DESTROYING = "destroying"


class Watcher(Protocol):
    """Hears what happens, from many threads at once."""

    def began(self, stack: str, phase: Phase) -> None:
        """A stack has entered a phase."""

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Resources that the engine is done with, of how many, as far as that is known."""

    def said(self, stack: str, message: Diagnostic) -> None:
        """A message for people; the same one may come again in a later phase."""

    def foreseen(self, result: StackResult) -> None:
        """The preview of a stack has come to its end."""

    def ended(self, result: StackResult) -> None:
        """Nothing more happens to a stack."""
