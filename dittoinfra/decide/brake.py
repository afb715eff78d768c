"""Why a run must stop, and the brake: removals that `approveRemovals` must name exactly. Pure."""

from collections.abc import Iterator, Sequence

from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.refusals import (
    LOSES_ADDRESS,
    BrakePulled,
    ConfigurationLost,
    NameTaken,
    PortLost,
    Refusal,
    ServerUnanswered,
)
from dittoinfra.model import ConfigurationSource, Reason, StackDecision, Unanswered
from dittoinfra.naming import adapter_resource, adapter_service, adapter_udp_service
from dittoinfra.settings import ServerSettings, StackSettings


def brake(
    decision: StackDecision,
    stack: StackSettings,
    empty: ConfigurationSource | None,
    approvals: Approvals,
) -> BrakePulled | ConfigurationLost | None:
    """Why the run must stop for approval; `empty` is the configuration where it names no servers."""
    removals = decision.removals
    if approvals.exact:
        return None
    if removals and empty is not None:
        return ConfigurationLost(removals, empty, approvals.needed)
    reasons = {removal.reason for removal in removals}
    # A stack may become empty only because all of its adapters were disabled on their servers.
    emptied = not any(server.adapters for server in decision.servers.values())
    pulled = BrakePulled(
        removals,
        decision.remembered,
        stack.brake,
        empties=emptied and bool(reasons - {Reason.DISABLED}),
        approvals=approvals.needed,
        repointed=tuple(f"{name} {asked}" for name, asked in decision.repointed.items()),
    )
    return pulled if pulled.too_many or pulled.empties or reasons & LOSES_ADDRESS.keys() else None


def refusals(
    decision: StackDecision,
    servers: Sequence[ServerSettings],
    stack: StackSettings,
    empty: ConfigurationSource | None = None,
    approvals: Approvals | None = None,
) -> tuple[Refusal, ...]:
    """Every reason why this run must stop; `empty` is the configuration where it names no servers."""
    approvals = approvals or Approvals.of(stack.approve_removals, decision.removals)
    outcomes = {s.name: decision.servers[s.name].outcome for s in servers if s.on_unreachable == "fail"}
    pulled = brake(decision, stack, empty, approvals)
    return (
        *(ServerUnanswered(name, why) for name, why in outcomes.items() if isinstance(why, Unanswered)),
        *(PortLost(this.server, lost) for this in decision.servers.values() for lost in this.lost),
        *_taken(decision, servers),
        *([pulled] if pulled else []),
    )


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
