"""The decision on all servers of a stack. Pure."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from dittoinfra.decide.adapter_texts import removed_text
from dittoinfra.decide.exposure import split_ports
from dittoinfra.decide.names import api_hosts, asked_hosts, impossible_host
from dittoinfra.decide.server_rules import asked_elsewhere, decide_server
from dittoinfra.model import (
    Missing,
    Nonsense,
    Note,
    Reason,
    Removal,
    ServerDecision,
    ServerPolls,
    StackDecision,
    StackMemory,
    State,
)
from dittoinfra.naming import adapter_resource, adapter_service, adapter_udp_service, sanitize
from dittoinfra.settings import ServerSettings, service_settings


def decide_stack(
    servers: Sequence[ServerSettings],
    memory: StackMemory,
    polls: Mapping[str, ServerPolls],
    replacing: Sequence[str] = (),
    held: Container[str] = (),
    leaving: Mapping[str, Reason] | None = None,
    *,
    known_before: Container[str] = (),
    found: Container[str] = (),
) -> StackDecision:
    """Every server's separate decision, and what the configuration removes or moves.

    `replacing` are changed settings of the provider for which it replaces every object; `held` are servers
    that nothing is declared for, so that their settings cannot move or remove anything; `leaving` are the
    reasons for which the adapters of servers go that are not configured any more. Servers of the state are
    `known_before`, those of the cluster `found`.
    """
    decisions = {s.name: decide_server(s, memory.get(s.name, {}), polls[s.name]) for s in servers}
    decisions |= {
        s.name: decide_server(s, memory.get(s.name, {}), [nonsense])
        for s, nonsense in misnamed(servers, memory, decisions, known_before, found)
    }
    reasons = leaving or {}
    unconfigured = tuple(
        Removal(name, adapter_type, reasons.get(name, Reason.UNCONFIGURED))
        for name in sorted(memory.keys() - decisions.keys())
        for adapter_type in sorted(memory[name])
    )
    reshaped = tuple(
        removal
        for server in servers
        if server.name not in held
        for removal in _reshaped(server, memory, decisions[server.name], everything=bool(replacing))
    )
    settings = " and ".join(f"kubernetes:{name}" for name in replacing)
    where = f"to where {settings} leads" if settings else "to another namespace"
    repointed = {
        server.name: asked
        for server in servers
        if decisions[server.name].removals
        and (asked := asked_elsewhere(server, memory[server.name], decisions[server.name])) is not None
    }
    answered = (
        replace(removal, reason=Reason.REPOINTED) if removal.server in repointed else removal
        for decision in decisions.values()
        for removal in decision.removals
    )
    removals = sorted(chain(unconfigured, reshaped, answered))
    return StackDecision(
        servers=decisions,
        remembered=sum(map(len, memory.values())),
        removals=tuple(removals),
        notes=(
            *chain.from_iterable(d.notes for d in decisions.values()),
            *(
                _warning(r, f"is {removed_text(r.reason, 0)}: the Service of {r.type} is removed")
                for r in unconfigured
            ),
            *(
                _warning(r, f"{r.type} has no UDP Service of its own any more: that Service is removed")
                if r.reason is Reason.UNSPLIT
                else _warning(r, f"{r.type} moves {where}: its Service is replaced")
                for r in reshaped
            ),
        ),
        repointed=repointed,
    )


def _reshaped(
    server: ServerSettings, memory: StackMemory, decision: ServerDecision, *, everything: bool
) -> Iterator[Removal]:
    """Declared adapters of which the configuration replaces or removes a Service.

    It is replaced by one in another namespace or another cluster, or it was the second one, for UDP ports.
    """
    remembered = memory.get(server.name, {})
    for adapter in decision.adapters:
        before = remembered.get(adapter.type)
        if before is None:
            continue
        if everything or before.namespace not in (None, server.namespace):
            yield Removal(server.name, adapter.type, Reason.MOVED)
        elif before.split and not split_ports(adapter, service_settings(server, adapter.type)):
            yield Removal(server.name, adapter.type, Reason.UNSPLIT)


def _warning(removal: Removal, text: str) -> Note:
    return Note(removal.server, text, warning=True)


def servers_to_declare(
    servers: Sequence[ServerSettings], decision: StackDecision
) -> tuple[ServerSettings, ...]:
    """The servers that something is declared for: all except those removed with their last adapter."""
    decided = decision.servers
    return tuple(
        s for s in servers if decided[s.name].adapters or not isinstance(decided[s.name].outcome, Missing)
    )


@dataclass(frozen=True, slots=True)
class _Owner:
    """What a name belongs to."""

    resource: str
    type: str | None = None
    """None for an owner that is not an adapter."""
    is_new: bool = False
    """Whether it has the name since this run's answers."""


def misnamed(
    servers: Sequence[ServerSettings],
    memory: StackMemory,
    decisions: Mapping[str, ServerDecision],
    known_before: Container[str] = (),
    found: Container[str] = (),
) -> Iterator[tuple[ServerSettings, Nonsense]]:
    """Servers with a new adapter that cannot be named, and why; of two in conflict, the later one.

    Adapters that were declared before, or are pinned, keep their names. Only a new adapter can conflict with
    another, and then its server's answer is rejected: one server never stops another.
    """
    new = {server.name: _new_types(decisions[server.name], memory) for server in servers}
    if not any(new.values()):
        return
    owners = {f"host name {host}": _Owner(api) for host, api in api_hosts(servers)}
    for server in servers:
        declared = {adapter.type for adapter in decisions[server.name].adapters}
        for adapter_type in sorted({*declared, *memory.get(server.name, ())}.difference(new[server.name])):
            _take(owners, server, adapter_type)
    for server in servers:
        name = server.name
        known = name in memory or name in known_before
        faults = (_fault(owners, server, this, known=known, found=name in found) for this in new[name])
        why = next(filter(None, faults), None)
        if why is not None:
            yield server, Nonsense(why)
            continue
        for adapter_type in new[server.name]:
            _take(owners, server, adapter_type, is_new=True)


def _new_types(decision: ServerDecision, memory: StackMemory) -> tuple[str, ...]:
    known = memory.get(decision.server, {})
    return tuple(a.type for a in decision.adapters if a.type not in known and a.state is not State.PINNED)


def _take(
    owners: dict[str, _Owner], server: ServerSettings, adapter_type: str, *, is_new: bool = False
) -> None:
    owner = _Owner(adapter_resource(server.name, adapter_type), sanitize(adapter_type), is_new)
    for name, _ in _claims(server, adapter_type):
        owners.setdefault(name, owner)


def _fault(
    owners: Mapping[str, _Owner], server: ServerSettings, adapter_type: str, *, known: bool, found: bool
) -> str | None:
    """Why a new adapter cannot be named, where the answer is to blame; `known` servers were declared before.

    Two adapters of one type get one host name from a template without the server: the configuration is
    wrong, and the run is refused. Unless one of them has the name already and the other one appears on a
    known server: then the answer brought it up, and the other servers go on. So do they beside a server that
    was `found`: a label in the cluster must not stop a stack.
    """
    if impossible := impossible_host(server, adapter_type):
        return f"adapter type {adapter_type!r} cannot be named: {impossible}"
    for name, by_type in _claims(server, adapter_type):
        owner = owners.get(name)
        if owner is None:
            continue
        other_type = by_type and owner.type != sanitize(adapter_type)
        if other_type or found or (known and not owner.is_new):
            return f"adapter type {adapter_type!r} cannot be named: {name} is that of {owner.resource}"
    return None


def _claims(server: ServerSettings, adapter_type: str) -> Iterator[tuple[str, bool]]:
    """Names that an adapter needs exclusively, each with whether another type would give another name."""
    for service in (adapter_service, adapter_udp_service):
        yield f"Service {server.namespace}/{service(server.name, adapter_type)}", True
    for host, by_type in asked_hosts(server, adapter_type):
        yield f"host name {host}", by_type
