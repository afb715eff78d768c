"""One fault on the wire, as data: who misbehaves, and what a run must make of it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from dittoinfra.model import Answered, Denied, Nonsense, Unreachable


@dataclass(frozen=True, slots=True)
class Bystander:
    """A server that a run must leave alone, and what it was asked all the same."""

    heard: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run meets a fault."""

    url: str
    api: Mapping[str, str] = field(default_factory=dict)
    """Further settings of the API."""
    bystander: Bystander | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a server gets."""

    deadline: float
    request_timeout: float


AT_ONCE = Limits(20.0, 10.0)
"""For what is seen at the first look: no limit comes near, however busy the machine is."""
LASTING = Limits(3.0, 3.0)
"""For what might pass, so that it is tried again until the deadline."""
SLOW = Limits(2.0, 1.0)
"""For what never comes to its end, so that both limits are reached."""

Serve = Callable[[], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, and what a run says about it; every one of them changes nothing."""

    name: str
    serve: Serve
    outcome: type[Answered] | type[Unreachable] | type[Denied] | type[Nonsense]
    """`Answered` where the fault must not be noticed at all."""
    says: str = ""
    """Words that name the cause."""
    limits: Limits = AT_ONCE

    def __str__(self) -> str:
        return self.name
