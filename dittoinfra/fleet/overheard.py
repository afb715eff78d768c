"""Remembers whom a run has asked, so that they can be asked again when it is over."""

import contextvars
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dittoinfra.automation import Processes

if TYPE_CHECKING:  # whatever is imported here is waited for before the CLI starts
    from dittoinfra.model import Listing, Note, StackMemory
    from dittoinfra.program import Inquiry, Surroundings
    from dittoinfra.program.inquiry import Asking, Polls
    from dittoinfra.settings import ServerSettings, StackSettings


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked, and with which settings."""

    stack: "StackSettings"
    servers: "tuple[ServerSettings, ...]"
    found: frozenset[str]
    """Names of those that were found in the cluster."""
    context: contextvars.Context
    """The SDK keeps a run's configuration in its context: with it, it can still be read afterwards."""


class StoppableAsking:
    """Polls that an interrupt ends at once; without it each would take its whole deadline."""

    def __init__(self, inner: "Asking", processes: Processes) -> None:
        self._inner = inner
        self._processes = processes
        self._life = ExitStack()

    def __enter__(self) -> Self:
        self._life.enter_context(self._inner)
        self._life.enter_context(self._processes.calling(lambda: self._inner.__exit__(None, None, None)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._life.close()

    def answers(self, memory: "StackMemory") -> "Polls":
        """Whatever was said until then."""
        return self._inner.answers(memory)

    def notes(self) -> "tuple[Note, ...]":
        """What people should know about the asking itself."""
        return self._inner.notes()


class OverheardInquiry:
    """Passes every question on."""

    def __init__(self, inner: "Inquiry", processes: Processes) -> None:
        self._inner = inner
        self._processes = processes
        self.asked: Asked | None = None

    def list_servers(self, stack: "StackSettings") -> "tuple[Listing, ...]":
        """Only ask."""
        return self._inner.list_servers(stack)

    def ask(
        self, stack: "StackSettings", servers: "Sequence[ServerSettings]", found: Collection[str]
    ) -> "Asking":
        """Remember, and ask."""
        self.asked = Asked(stack, tuple(servers), frozenset(found), contextvars.copy_context())
        return StoppableAsking(self._inner.ask(stack, servers, found), self._processes)

    def look_around(self, servers: "Sequence[ServerSettings]", unlocated: Sequence[str]) -> "Surroundings":
        """Only ask."""
        return self._inner.look_around(servers, unlocated)
