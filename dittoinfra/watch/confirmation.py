"""Which changes of a server were confirmed by a later answer, and when the next answer is needed. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from dittoinfra.watch.adapter_changes import AdapterChange, ChangeKind
from dittoinfra.watch.poll_timing import Timing

_EARLY = 0.005
"""Seconds by which an event loop may wake up before its time."""


@dataclass(slots=True)
class Confirmation:
    """The changes of one server since they were first seen; one that an answer lacks begins anew."""

    _since: dict[AdapterChange, float] = field(default_factory=dict)
    _waiting: frozenset[AdapterChange] = frozenset()

    @classmethod
    def of(cls, told: Iterable[AdapterChange]) -> "Confirmation":
        """What the server said to a run needs only one more answer that says the same."""
        return cls(dict.fromkeys(told, -inf))

    def heard(self, found: Iterable[AdapterChange], now: float, timing: Timing) -> tuple[AdapterChange, ...]:
        """Those changes in an answer that an earlier one had already, and long enough ago."""
        before = self._since
        self._since = {change: before.get(change, now) for change in found}
        confirmed = tuple(
            change
            for change, since in self._since.items()
            if change.kind is ChangeKind.STILL_ABSENT
            or (change in before and now - since >= pause(change.kind, timing) - _EARLY)
        )
        self._waiting = frozenset(self._since).difference(confirmed)
        return confirmed

    def due(self, now: float, timing: Timing) -> float:
        """Seconds until an answer could confirm something; endless where nothing waits for one."""
        ends = (self._since[change] + pause(change.kind, timing) for change in self._waiting)
        return max(0.0, min(ends, default=inf) - now)


def pause(kind: ChangeKind, timing: Timing) -> float:
    """How long a change must have lasted."""
    match kind:
        case ChangeKind.SERVED:
            return timing.confirm
        case ChangeKind.DISABLED:
            return timing.removal
        case ChangeKind.ABSENT:
            return timing.debounce
        case ChangeKind.STILL_ABSENT:
            return 0.0
