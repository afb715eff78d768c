"""How the servers of one stack have answered, over all runs of a watch."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from dittoinfra.changes import Changes
from dittoinfra.model import Answered, Outcome, ServerDecision
from dittoinfra.watch.kept_client import KeptClient
from dittoinfra.watch.metrics import ServerMetrics, StackMetrics
from dittoinfra.watch.poll_slots import PollSlots
from dittoinfra.watch.poll_timing import Timing
from dittoinfra.watch.watch_events import EventKind, EventSink, WatchEvent


@dataclass(slots=True)
class WatchedServers:
    """The servers of one stack, over all runs of a watch."""

    stack: str
    timing: Timing
    sink: EventSink
    metrics: StackMetrics
    poll_slots: PollSlots
    """Bounds the polls at a time of all stacks together."""
    clock: Callable[[], float] = time.monotonic
    _health: dict[str, "ServerHealth"] = field(default_factory=dict)
    _counts_again: float = float("-inf")

    def health(self, server: str) -> "ServerHealth":
        if server not in self._health:
            self._health[server] = ServerHealth(server, self, self.metrics.server(server))
        return self._health[server]

    @property
    def silent(self) -> frozenset[str]:
        """Servers whose last poll ended without a usable answer."""
        return frozenset(name for name, health in self._health.items() if health.silent)

    @property
    def counts(self) -> bool:
        """Whether a run may count absences now.

        Servers are asked every second, and a run for one of them hears all of them: three runs within a few
        seconds must not remove an adapter that is away while its port is changed.
        """
        return self.clock() >= self._counts_again

    def counted(self) -> None:
        """A run that may have counted absences is over."""
        self._counts_again = self.clock() + self.timing.absence

    async def keep(self, servers: Collection[str]) -> None:
        """Forget all others: they have left the configuration."""
        gone = [self._health.pop(name) for name in self._health.keys() - set(servers)]
        for health in gone:
            self.metrics.forget(health.server)
        await asyncio.gather(*(health.client.close() for health in gone), return_exceptions=True)

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.gather(
            *(health.client.close() for health in self._health.values()), return_exceptions=True
        )

    def emit(
        self, event: EventKind, text: str, server: str | None = None, changes: Changes | None = None
    ) -> None:
        """Report an event of this stack."""
        self.sink(WatchEvent(event=event, stack=self.stack, server=server, text=text, changes=changes))


@dataclass(slots=True)
class ServerHealth:
    """How one server of one stack has answered lately."""

    server: str
    servers: WatchedServers = field(repr=False)
    metrics: ServerMetrics = field(repr=False)
    client: KeptClient = field(default_factory=KeptClient, repr=False)
    failures: int = 0
    """Polls in a row without a usable answer."""
    _failure: type[Outcome] | None = None

    @property
    def silent(self) -> bool:
        """Whether its last poll ended without a usable answer."""
        return self._failure is not None

    @property
    def wait(self) -> float:
        """Seconds until it is polled again."""
        return self.servers.timing.wait(max(0, self.failures - 1))

    def record(self, outcome: Outcome, decision: ServerDecision) -> None:
        """Count a poll and what the rules decide from it; report it where it differs from the one before."""
        before = self._failure
        if isinstance(outcome, Answered):
            self._failure, self.failures = None, 0
            if before is not None:
                self.servers.emit(EventKind.ANSWERING, f"{self.server} answers again", self.server)
        else:
            self._failure, self.failures = type(outcome), self.failures + 1
            if before is not self._failure:
                text = f"{self.server} is {outcome}; its adapters stay as they are"
                self.servers.emit(EventKind.SILENT, text, self.server)
        backoff = self.servers.timing.backoff(self.failures - 1) if self.failures else 0.0
        self.metrics.polled(outcome, backoff, Counter(adapter.state for adapter in decision.adapters))

    def answered_again(self) -> None:
        """Count a poll that said what the one before it said."""
        self.metrics.answered_again()
