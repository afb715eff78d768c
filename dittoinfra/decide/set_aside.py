"""Servers and adapters that a run leaves out because of objects that are not its own: the others go on. Pure.

A found server is held, as one whose settings contradict each other is. A server that was declared before, and
reports a new adapter whose Service another manager has, goes on without that adapter. A named server that is
new is neither: its run is refused.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from dittoinfra import naming
from dittoinfra.decide.guard import Guarded
from dittoinfra.decide.refusals import ExistsAlready, UnreadableObject
from dittoinfra.model import (
    AlreadyPolled,
    Answered,
    Nonsense,
    Note,
    Outcome,
    ServerDecision,
    ServerPolls,
    State,
    Uncounted,
)
from dittoinfra.object_model import PlannedObject
from dittoinfra.state import Memory


@dataclass(frozen=True, slots=True)
class SetAside:
    """What a run leaves out, and why."""

    held: Mapping[str, Nonsense] = field(default_factory=dict)
    """Found servers that stay as the state holds them."""
    adapters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Types of new adapters, by server: the run decides as if the server did not list them."""
    notes: tuple[Note, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.held or self.adapters)

    @property
    def names(self) -> frozenset[str]:
        """The servers and the adapters, as people name them."""
        adapters = (f"{server}/{each}" for server, types in self.adapters.items() for each in types)
        return frozenset({*self.held, *adapters})

    def joined(self, more: "SetAside") -> "SetAside":
        """Both together."""
        adapters = {
            name: types | self.adapters.get(name, frozenset()) for name, types in more.adapters.items()
        }
        return SetAside({**self.held, **more.held}, {**self.adapters, **adapters}, (*self.notes, *more.notes))

    def without(self, polls: Mapping[str, ServerPolls]) -> Mapping[str, ServerPolls]:
        """These polls without the adapters that are left out."""
        return {
            name: _without(these, self.adapters[name]) if name in self.adapters else these
            for name, these in polls.items()
        }


def set_aside(
    decisions: Mapping[str, ServerDecision], found: Container[str], guarded: Guarded, memory: Memory
) -> SetAside:
    """What has to be left out so that objects of other managers stop no server but their own."""
    held: dict[str, Nonsense] = {}
    adapters: dict[str, frozenset[str]] = {}
    notes: list[Note] = []
    known = {*memory.adapters, *memory.servers}
    for name in dict.fromkeys(this.server for this in guarded.taken):
        taken = [this for this in guarded.taken if this.server == name]
        why = _why(name, guarded, found=name in found)
        types = _new_types(decisions[name], taken, memory) if name in known else None
        if types is not None:
            adapters[name] = types
            notes.append(Note(name, f"{', '.join(sorted(types))}: left out: {why.why}", warning=True))
        elif name in found:
            held[name] = why
    return SetAside(held, adapters, tuple(notes))


def _new_types(
    decision: ServerDecision, taken: Iterable[PlannedObject], memory: Memory
) -> frozenset[str] | None:
    """The adapters that these objects are for; None where one is for anything but a new adapter."""
    before = memory.adapters.get(decision.server, {})
    new = {
        name: adapter.type
        for adapter in decision.adapters
        # A pin is the configuration's, and what is wrong with it is told by a refusal.
        if adapter.type not in before and adapter.state is not State.PINNED
        for name in (
            naming.adapter_service(decision.server, adapter.type),
            naming.adapter_udp_service(decision.server, adapter.type),
        )
    }
    names = {this.place.name for this in taken}
    return frozenset(new[name] for name in names) if names <= new.keys() else None


def _why(server: str, guarded: Guarded, *, found: bool) -> Nonsense:
    causes, steps = zip(*_in_the_way(server, guarded, found=found), strict=True)
    return Nonsense("; ".join(causes), "; ".join(steps))


def _in_the_way(server: str, guarded: Guarded, *, found: bool) -> Iterator[tuple[str, str]]:
    """What is in a server's way, each with what to do about it."""
    for this in guarded.refusals:
        if isinstance(this, ExistsAlready) and this.server == server:
            named = f"name the server in dittoinfra:servers with adopt: true {this.takeover}"
            set_it = f"set adopt: true on the server {this.takeover}"
            step = f"{named}, or narrow dittoinfra:serversFrom" if found else set_it
            yield this.cause, f"{step}{this.recovery}"
        elif isinstance(this, UnreadableObject) and this.server == server:
            yield this.cause, this.next_step


def _without(polls: ServerPolls, types: frozenset[str]) -> ServerPolls:
    if isinstance(polls, AlreadyPolled | Uncounted):
        return replace(polls, outcome=_unlisted(polls.outcome, types))
    return tuple(_unlisted(outcome, types) for outcome in polls)


def _unlisted(outcome: Outcome, types: frozenset[str]) -> Outcome:
    if not isinstance(outcome, Answered):
        return outcome
    return replace(outcome, adapters=tuple(this for this in outcome.adapters if this.type not in types))
