"""What a whole run comes to, and whether it may go on. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from dittoinfra.decide.brake import brake
from dittoinfra.decide.refusals import NameTaken, PortLost, Refusal, ServerUnanswered
from dittoinfra.decide.server import decide_server
from dittoinfra.model import (
    Missing,
    Note,
    Outcome,
    Reason,
    Removal,
    StackDecision,
    StackMemory,
    Unanswered,
)
from dittoinfra.naming import adapter_resource, adapter_service, adapter_udp_service
from dittoinfra.settings import ServerSettings


def decide_stack(
    servers: Sequence[ServerSettings],
    memory: StackMemory,
    polls: Mapping[str, Sequence[Outcome]],
) -> StackDecision:
    """Every server's decision on its own, and what is removed because its server left the configuration."""
    decisions = {s.name: decide_server(s, memory.get(s.name, {}), polls[s.name]) for s in servers}
    unconfigured = tuple(
        Removal(name, adapter_type, Reason.UNCONFIGURED)
        for name in sorted(memory.keys() - decisions.keys())
        for adapter_type in sorted(memory[name])
    )
    removals = sorted(chain(unconfigured, *(d.removals for d in decisions.values())))
    return StackDecision(
        servers=decisions,
        remembered=sum(map(len, memory.values())),
        removals=tuple(removals),
        notes=(
            *chain.from_iterable(d.notes for d in decisions.values()),
            *(
                Note(
                    r.server, f"is not configured any more: the Service of {r.type} is removed", warning=True
                )
                for r in unconfigured
            ),
        ),
    )


def standing(servers: Sequence[ServerSettings], decision: StackDecision) -> tuple[ServerSettings, ...]:
    """The servers that something is declared for: all but those that went with their last adapter."""
    decided = decision.servers
    return tuple(
        s for s in servers if decided[s.name].adapters or not isinstance(decided[s.name].outcome, Missing)
    )


def refusals(
    decision: StackDecision, servers: Sequence[ServerSettings], approved: Sequence[str]
) -> tuple[Refusal, ...]:
    """Every reason why this run must stop before it declares anything."""
    pulled = brake(decision, approved)
    return (
        *_unanswered(decision, servers),
        *_lost(decision),
        *_taken(decision, servers),
        *([pulled] if pulled else []),
    )


def _unanswered(decision: StackDecision, servers: Sequence[ServerSettings]) -> Iterator[Refusal]:
    for server in servers:
        outcome = decision.servers[server.name].outcome
        if server.on_unreachable == "fail" and isinstance(outcome, Unanswered):
            yield ServerUnanswered(server.name, outcome)


def _lost(decision: StackDecision) -> Iterator[Refusal]:
    for server in decision.servers.values():
        for adapter_type in server.lost:
            yield PortLost(server.server, adapter_type)


def _taken(decision: StackDecision, servers: Sequence[ServerSettings]) -> Iterator[Refusal]:
    owners: dict[tuple[str, str], str] = {}
    for server in servers:
        for adapter in decision.servers[server.name].adapters:
            this = adapter_resource(server.name, adapter.type)
            names = (
                adapter_service(server.name, adapter.type),
                adapter_udp_service(server.name, adapter.type),
            )
            taken = {name: owners.setdefault((server.namespace, name), this) for name in names}
            clash = next((name for name in names if taken[name] != this), None)
            if clash is not None:
                yield NameTaken(clash, taken[clash], this)
