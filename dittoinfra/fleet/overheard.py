"""Remembers whom a run has asked, so that they can be asked again when it is over."""

import contextvars
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dittoinfra.model import Listing
from dittoinfra.program import Inquiry, Surroundings
from dittoinfra.program.inquiry import Asking
from dittoinfra.settings import ServerSettings, StackSettings


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked, and with which settings."""

    stack: StackSettings
    servers: tuple[ServerSettings, ...]
    found: frozenset[str]
    """Names of those that were found in the cluster."""
    context: contextvars.Context
    """The SDK keeps a run's configuration in its context: with it, it can still be read afterwards."""


class OverheardInquiry:
    """Passes every question on."""

    def __init__(self, inner: Inquiry) -> None:
        self._inner = inner
        self.asked: Asked | None = None

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """Only ask."""
        return self._inner.list_servers(stack)

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Remember, and ask."""
        self.asked = Asked(stack, tuple(servers), frozenset(found), contextvars.copy_context())
        return self._inner.ask(stack, servers, found)

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Only ask."""
        return self._inner.look_around(servers, unlocated)
