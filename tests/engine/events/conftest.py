"""Fixtures: a stack whose events are recorded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.reports.events import Event, EventWriter
from tests.engine.world import World
from tests.engine.world import world as new_world


@dataclass
class Heard:
    """An event sink that records."""

    events: list[Event] = field(default_factory=list)

    def begin(self, stack: str) -> None:
        del stack

    def write(self, event: Event) -> None:
        self.events.append(event)

    def taken(self) -> list[Event]:
        """The events since the last call, in an order independent of the engine's parallel steps."""
        taken, self.events = self.events, []
        return sorted(taken, key=lambda event: (event.server or "", event.object.name, event.reason))

    def told(self) -> list[tuple[str, str]]:
        """The same as reason and object."""
        return [(event.reason, event.object.name) for event in self.taken()]


@dataclass
class Failing:
    """Makes the provider fail."""

    operation: str = ""
    name: str = ""
    message: str = "the cloud is out of addresses"

    def __call__(self, operation: str, urn: str) -> str | None:
        return self.message if operation == self.operation and urn.endswith(f"::{self.name}") else None


@pytest.fixture
def failing() -> Failing:
    return Failing()


@pytest.fixture
def world(pulumi_cli: PulumiCommand, tmp_path: Path, failing: Failing) -> Iterator[World]:
    """A fresh stack whose manifests land in a folder."""
    with new_world(pulumi_cli, tmp_path, fail_on=failing) as fresh:
        yield fresh


@pytest.fixture
def heard(world: World) -> Heard:
    """What is told of the world's stack."""
    sink = Heard()
    world.stack.on_event = EventWriter(sink).listen("world")
    return sink
