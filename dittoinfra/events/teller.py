"""Hears the engine, and tells what really happened."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from pulumi.automation import EngineEvent, StepEventMetadata

from dittoinfra.automation import plain
from dittoinfra.events.event import Event, EventObject
from dittoinfra.events.subject import Subject, subject
from dittoinfra.events.telling import Told, done, failed
from dittoinfra.visible import visible

LONGEST_MESSAGE = 1000
"""Characters; Kubernetes takes 1,024 bytes, which is what its sink cuts to."""

_NO_CAUSE = "the engine does not say why"


class Sink(Protocol):
    """Where events go. Called from the threads of several stacks at once; never raises."""

    def begin(self, stack: str, config: Mapping[str, str]) -> None:
        """A run of a stack begins, with this configuration, its secrets hidden."""

    def tell(self, event: Event) -> None:
        """One event."""


class EventTeller:
    """Makes events of what the engine says about any number of stacks."""

    def __init__(self, *sinks: Sink, previews: bool = False) -> None:
        self._sinks = sinks
        self._previews = previews

    def listen(self, stack: str) -> Callable[[EngineEvent], None]:
        """A listener for the runs of one stack."""
        return _Listener(stack, self._sinks, previews=self._previews).hear


class _Listener:
    """Remembers what is under way, and nothing that has ended."""

    def __init__(self, stack: str, sinks: Iterable[Sink], *, previews: bool) -> None:
        self._stack = stack
        self._sinks = tuple(sinks)
        self._previews = previews
        self._under_way: dict[tuple[str, str], str] = {}
        """Why a step has failed so far, by the step."""

    def hear(self, event: EngineEvent) -> None:
        if event.prelude_event:
            self._under_way.clear()
            for sink in self._sinks:
                sink.begin(self._stack, event.prelude_event.config)
        if event.resource_pre_event and (self._previews or not event.resource_pre_event.planning):
            metadata = event.resource_pre_event.metadata
            if subject(metadata) is not None:
                self._under_way[_key(metadata)] = ""
        if event.diagnostic_event and event.diagnostic_event.severity == "error":
            self._failing(event.diagnostic_event.urn, event.diagnostic_event.message)
        if event.res_outputs_event:
            self._done(event, event.res_outputs_event.metadata, bool(event.res_outputs_event.planning))
        if event.res_op_failed_event:
            self._failed(event, event.res_op_failed_event.metadata)

    def _failing(self, urn: str | None, message: str) -> None:
        for key in self._under_way:
            if key[1] == urn:
                self._under_way[key] = plain(message)[:LONGEST_MESSAGE]

    def _done(self, event: EngineEvent, metadata: StepEventMetadata, planned: bool) -> None:
        # What was not announced was not done: a refresh finds out what others did.
        if self._under_way.pop(_key(metadata), None) is None:
            return
        about = subject(metadata)
        for told in done(about, metadata, planned=planned) if about else ():
            self._tell(event, about, told, planned=planned)

    def _failed(self, event: EngineEvent, metadata: StepEventMetadata) -> None:
        why = self._under_way.pop(_key(metadata), None)
        about = subject(metadata)
        if why is not None and about is not None:
            self._tell(event, about, failed(about, why or _NO_CAUSE), planned=False)

    def _tell(self, heard: EngineEvent, about: Subject | None, told: Told, *, planned: bool) -> None:
        assert about is not None  # noqa: S101 - nothing is told of nobody
        event = Event(
            time=datetime.fromtimestamp(heard.timestamp, UTC),
            stack=self._stack,
            server=about.server,
            adapter=about.adapter,
            reason=told.reason,
            type=told.type,
            action=about.action,
            # People read it with `kubectl describe` and `tail`, in a terminal.
            message=" ".join(visible(told.message).split())[:LONGEST_MESSAGE],
            planned=planned,
            object=EventObject(
                api_version=about.object.api_version,
                kind=about.object.kind,
                namespace=about.object.namespace,
                name=about.object.name,
                uid=about.object.uid,
            ),
        )
        for sink in self._sinks:
            sink.tell(event)


def _key(metadata: StepEventMetadata) -> tuple[str, str]:
    return metadata.op.value, metadata.urn
