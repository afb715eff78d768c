"""Listening in on a run: whom it asks, how, what the stack held and what was answered.

A run knows all that a watch needs, passwords included, and so nothing has to be asked of the CLI: no secret
leaves this process's memory.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from dittoinfra.dittofs import AccessProblems, ApiAccess, NotAsked, resolve_access
from dittoinfra.model import Listing, Note, ServerMemory, StackMemory
from dittoinfra.program import LiveInquiry, Surroundings
from dittoinfra.program.inquiry import Asking, Polls
from dittoinfra.program.inside import provider_inside
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.watch.decide import held_after

Access = ApiAccess | NotAsked | AccessProblems


@dataclass(frozen=True, slots=True)
class Heard:
    """What a run had to do with its servers."""

    servers: tuple[ServerSettings, ...]
    access: Callable[[ServerSettings], Access] = field(repr=False)
    """How one of them is asked, read afresh: certificates are replaced while a watch runs."""
    memory: StackMemory = field(default_factory=dict)
    """What the stack held before."""
    polls: Polls = field(default_factory=dict)

    def held_before(self) -> StackMemory:
        """What the stack holds while the run is only a preview."""
        return {s.name: self.memory.get(s.name, {}) for s in self.servers}

    def held_after(self) -> StackMemory:
        """What the stack holds once the run has come to its end."""
        return {s.name: self._held_after(s) for s in self.servers}

    def _held_after(self, server: ServerSettings) -> ServerMemory:
        return held_after(server, self.memory.get(server.name, {}), self.polls[server.name])


@dataclass(slots=True, eq=False)
class ListeningInquiry:
    """Asks the world itself, and keeps what the watch has to know for one run."""

    live: LiveInquiry
    on_asking: Callable[[Sequence[ServerSettings]], None] = lambda _: None
    """Told whom the run is about to ask; may hold it up, or stop it by raising `RunStopped`."""
    heard: Heard | None = None
    _asking: Asking | None = None

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """Ask the provider's cluster."""
        return self.live.list_servers(stack)

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Begin to poll every server's API."""
        # Only a run knows the provider's cluster, and one such way belongs to the loop that first takes it.
        inside = provider_inside(self.live.environ)
        names = frozenset(found)

        def access(server: ServerSettings) -> Access:
            return resolve_access(
                server,
                stack.passwords,
                self.live.environ,
                self.live.root,
                cluster=inside,
                in_cluster=server.name in names,
            )

        self.heard = Heard(tuple(servers), access)
        self.on_asking(servers)
        self._asking = _Overheard(self.live.ask(stack, servers, found), self)
        return self._asking

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Ask the provider's cluster."""
        return self.live.look_around(servers, unlocated)

    def overheard(self, memory: StackMemory, polls: Polls) -> None:
        """Take note of what was answered."""
        assert self.heard is not None  # noqa: S101 - nobody answers before anybody is asked
        self.heard = Heard(self.heard.servers, self.heard.access, memory, polls)

    def hang_up(self) -> None:
        """End polls that are under way: whoever stops does not wait for a slow server."""
        if self._asking is not None:
            self._asking.__exit__(None, None, None)


class _Overheard:
    def __init__(self, asking: Asking, by: ListeningInquiry) -> None:
        self._asking = asking
        self._by = by

    def __enter__(self) -> Self:
        self._asking.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.__exit__(kind, error, trace)

    def answers(self, memory: StackMemory) -> Polls:
        """What every server says."""
        polls = self._asking.answers(memory)
        self._by.overheard(memory, polls)
        return polls

    def notes(self) -> tuple[Note, ...]:
        """What the cluster forbade, and how to allow it."""
        return self._asking.notes()
