"""Prometheus metrics of a watch. Labels hold only names from the configuration and constants."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics

from dittoinfra import __version__
from dittoinfra.changes import Changes
from dittoinfra.model import Answered, Outcome, State


class Metrics:
    """All metrics of one watch."""

    def __init__(self) -> None:
        # The creation time of a counter would be a second series for each, which no query needs.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library lacks it
        self.registry = CollectorRegistry()
        counter = partial(Counter, namespace="dittoinfra", subsystem="watch", registry=self.registry)
        gauge = partial(Gauge, namespace="dittoinfra", subsystem="watch", registry=self.registry)
        of_server = ["stack", "server"]
        self.polls = counter("polls", "Polls of a server, those of runs included.", [*of_server, "outcome"])
        self.since_answer = gauge(
            "seconds_since_answer", "Seconds since a server last gave a usable answer.", of_server
        )
        self.backoff = gauge(
            "backoff_seconds", "Wait before a silent server is asked again; 0 while it answers.", of_server
        )
        self.adapters = gauge(
            "adapters",
            "Adapters of a server by state, as the last poll and the rules have it.",
            [*of_server, "state"],
        )
        self.ready = gauge(
            "ready_adapters", "Adapters of a server with a ready Pod behind their Service.", of_server
        )
        self.interval = gauge("interval_seconds", "Between two polls of a server that answers.")
        self.updates = counter("updates", "Runs of a stack by result.", ["stack", "result"])
        self.retry = gauge(
            "retry_seconds", "Wait before a failed run is tried again; 0 while none has failed.", ["stack"]
        )
        self.changes = counter(
            "resources_changed", "Resources that runs have changed.", ["stack", "operation"]
        )
        build = Gauge(
            "dittoinfra_build_info", "The version that runs here.", ["version"], registry=self.registry
        )
        build.labels(__version__).set(1)


@dataclass(frozen=True, slots=True)
class StackMetrics:
    """The metrics of one stack."""

    metrics: Metrics
    stack: str

    def server(self, name: str) -> "ServerMetrics":
        """Those of one of its servers."""
        return ServerMetrics(self.metrics, self.stack, name)

    def forget(self, server: str) -> None:
        """A server that left the configuration has no metrics any more."""
        this = self.metrics
        for metric in (this.polls, this.backoff, this.since_answer, this.adapters, this.ready):
            metric.remove_by_labels({"stack": self.stack, "server": server})

    def ready(self, server: str, adapters: int) -> None:
        """How many adapters of a server have a ready Pod behind their Service."""
        self.metrics.ready.labels(self.stack, server).set(adapters)

    def ran(self, result: str, changes: Changes, retry: float) -> None:
        """One run, and how long the next attempt waits where it failed."""
        self.metrics.updates.labels(self.stack, result).inc()
        self.metrics.retry.labels(self.stack).set(retry)
        for change, count in changes.each():
            self.metrics.changes.labels(self.stack, change.value).inc(count)


class ServerMetrics:
    """The metrics of one server of a stack, looked up once: most polls only count."""

    def __init__(self, metrics: Metrics, stack: str, server: str) -> None:
        self._metrics = metrics
        self._labels = stack, server
        self._answered: Counter | None = None
        self._answered_at = 0.0

    def answered_again(self) -> None:
        """One poll with the answer of the one before it."""
        if self._answered is not None:
            self._answered.inc()
            self._answered_at = time.monotonic()

    def polled(self, outcome: Outcome, backoff: float, states: Mapping[State, int]) -> None:
        """One poll, and what the rules decide from it."""
        this = self._metrics
        counted = this.polls.labels(*self._labels, outcome.name)
        counted.inc()
        this.backoff.labels(*self._labels).set(backoff)
        if isinstance(outcome, Answered):
            self._answered_at = time.monotonic()
            if self._answered is None:
                since = this.since_answer.labels(*self._labels)
                since.set_function(lambda: time.monotonic() - self._answered_at)
            self._answered = counted
        for state in State:
            this.adapters.labels(*self._labels, str(state)).set(states.get(state, 0))
