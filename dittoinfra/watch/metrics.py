"""Numbers about a watch, for Prometheus. Labels are names from the configuration and words of ours only."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics

from dittoinfra import __version__
from dittoinfra.automation import Changes
from dittoinfra.model import Answered, Outcome, State

_OPERATIONS = ("create", "update", "delete", "replace")


class Metrics:
    """All numbers of one watch."""

    def __init__(self) -> None:
        # When a counter was first touched is a second series for each, and nobody's question.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library lacks it
        self.registry = CollectorRegistry()
        of_server = ["stack", "server"]
        self.polls = Counter(
            "dittoinfra_watch_polls",
            "Polls of a server, those of runs included.",
            [*of_server, "outcome"],
            registry=self.registry,
        )
        self.since_answer = Gauge(
            "dittoinfra_watch_seconds_since_answer",
            "Seconds since a server last gave a usable answer.",
            of_server,
            registry=self.registry,
        )
        self.backoff = Gauge(
            "dittoinfra_watch_backoff_seconds",
            "Wait before a silent server is asked again; 0 while it answers.",
            of_server,
            registry=self.registry,
        )
        self.adapters = Gauge(
            "dittoinfra_watch_adapters",
            "Adapters of a server by state, as the last poll and the rules have it.",
            [*of_server, "state"],
            registry=self.registry,
        )
        self.updates = Counter(
            "dittoinfra_watch_updates",
            "Runs of a stack by result.",
            ["stack", "result"],
            registry=self.registry,
        )
        self.retry = Gauge(
            "dittoinfra_watch_retry_seconds",
            "Wait before a failed run is tried again; 0 while none has failed.",
            ["stack"],
            registry=self.registry,
        )
        self.changes = Counter(
            "dittoinfra_watch_resources_changed",
            "Resources that runs have changed.",
            ["stack", "operation"],
            registry=self.registry,
        )
        build = Gauge(
            "dittoinfra_build_info", "The version that runs here.", ["version"], registry=self.registry
        )
        build.labels(__version__).set(1)

    def of(self, stack: str) -> "StackMetrics":
        """The numbers of one stack."""
        return StackMetrics(self, stack)


@dataclass(frozen=True, slots=True)
class StackMetrics:
    """The numbers of one stack."""

    all: Metrics
    stack: str

    def polled(self, server: str, outcome: Outcome, backoff: float, states: Mapping[State, int]) -> None:
        """One poll, and what the rules make of it."""
        this = self.all
        this.polls.labels(self.stack, server, type(outcome).__name__.lower()).inc()
        this.backoff.labels(self.stack, server).set(backoff)
        if isinstance(outcome, Answered):
            answered = time.monotonic()
            this.since_answer.labels(self.stack, server).set_function(lambda: time.monotonic() - answered)
        for state in State:
            this.adapters.labels(self.stack, server, str(state)).set(states.get(state, 0))

    def forget(self, server: str) -> None:
        """A server that left the configuration has no numbers any more."""
        this = self.all
        for metric in (this.polls, this.backoff, this.since_answer, this.adapters):
            metric.remove_by_labels({"stack": self.stack, "server": server})

    def ran(self, result: str, changes: Changes, retry: float) -> None:
        """One run, and how long the next attempt waits where it failed."""
        self.all.updates.labels(self.stack, result).inc()
        self.all.retry.labels(self.stack).set(retry)
        counts = (changes.creates, changes.updates, changes.deletes, changes.replaces)
        for operation, count in zip(_OPERATIONS, counts, strict=True):
            self.all.changes.labels(self.stack, operation).inc(count)
