"""Everything that a run asks of the world around the engine, in one place.

Asked once, the answers can be given again: what was previewed is then what is applied.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from dittoinfra.decide import decide_server, wants_another_poll
from dittoinfra.dittofs import ApiAccess, NotAsked, Polling
from dittoinfra.model import Listing, Note, Outcome, StackMemory
from dittoinfra.program.access import resolve_all
from dittoinfra.program.discovery import list_live_servers
from dittoinfra.program.inside import Inside, provider_inside
from dittoinfra.program.surroundings import Surroundings, ask_cluster
from dittoinfra.settings import ServerSettings, StackSettings

Polls = Mapping[str, tuple[Outcome, ...]]
"""What every server said in this run, in the order of asking, by server name."""


@dataclass(frozen=True, slots=True)
class Answers:
    """All that a run was told, and all that another run needs to come to the same decision."""

    polls: Polls = field(default_factory=dict)
    surroundings: Surroundings = field(default_factory=Surroundings)
    listings: tuple[Listing, ...] = ()


class Asking(Protocol):
    """Polls that are under way."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def answers(self, memory: StackMemory) -> Polls:
        """What every server says; how often it is asked may hang on what is remembered of it."""

    def notes(self) -> tuple[Note, ...]:
        """What is to be said about the asking itself, once it is over."""


class Inquiry(Protocol):
    """Whom a run asks."""

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """What the cluster lists for each entry of `serversFrom`."""

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Begin to ask every server, and return at once; `ConfigurationError` where one cannot be asked.

        `found` are the names of those that nobody configured: one that cannot be asked just does not answer.
        """

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """What the cluster has of all that these servers depend on.

        `unlocated` are the namespaces with Services whose addresses are wanted.
        """


@dataclass(frozen=True, slots=True)
class LiveInquiry:
    """Asks the servers and the cluster themselves."""

    root: Path
    """Where relative paths in the configuration start."""
    environ: Mapping[str, str]

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """Ask the provider's cluster."""
        return list_live_servers(stack, self.environ)

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Begin to poll every server's API."""
        access, inside = self._access(stack, servers, found)
        return LivePolls(servers, Polling.start(access, stack.max_concurrent_polls), inside)

    def ways(
        self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]
    ) -> Mapping[str, ApiAccess]:
        """The ways to those of the servers that have an API to ask, for one use of each."""
        access, _ = self._access(stack, servers, found)
        return {name: way for name, way in access.items() if not isinstance(way, NotAsked)}

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Ask the provider's cluster."""
        return ask_cluster(servers, unlocated, self.environ)

    def _access(
        self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]
    ) -> tuple[Mapping[str, ApiAccess | NotAsked], Inside | None]:
        inside = provider_inside(self.environ)
        return resolve_all(servers, stack.passwords, self.environ, self.root, inside, found), inside


@dataclass(frozen=True, slots=True)
class RecordedInquiry:
    """Gives the answers of an earlier run again, and asks nobody."""

    recorded: Answers

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """The recorded listings."""
        del stack
        return self.recorded.listings

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """The recorded polls."""
        del stack, servers, found
        return _RecordedPolls(self.recorded.polls)

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """The recorded surroundings."""
        del servers, unlocated
        return self.recorded.surroundings


class LivePolls:
    """Polls of real servers, some of them perhaps through a cluster."""

    def __init__(
        self, servers: Sequence[ServerSettings], polling: Polling, inside: Inside | None = None
    ) -> None:
        self._servers = servers
        self._polling = polling
        self._inside = inside

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._polling.close()

    def answers(self, memory: StackMemory) -> Polls:
        """Every server's answer, and further ones where an adapter is absent and the settings allow them."""
        polls: dict[str, tuple[Outcome, ...]] = {
            name: (outcome,) for name, outcome in self._polling.first().items()
        }

        def undecided(server: ServerSettings) -> bool:
            heard = polls[server.name]
            return len(heard) < server.polls_per_run and wants_another_poll(
                server, decide_server(server, memory.get(server.name, {}), heard)
            )

        while again := {s.name: s.poll_interval.total_seconds() for s in self._servers if undecided(s)}:
            for name, outcome in self._polling.again(again).items():
                polls[name] += (outcome,)
        return polls

    def notes(self) -> tuple[Note, ...]:
        """What the cluster forbade, and how to allow it."""
        return self._inside.notes() if self._inside is not None else ()


class _RecordedPolls:
    def __init__(self, polls: Polls) -> None:
        self._polls = polls

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def answers(self, memory: StackMemory) -> Polls:
        """What was answered then."""
        del memory
        return self._polls

    def notes(self) -> tuple[Note, ...]:
        """Nothing was asked."""
        return ()
