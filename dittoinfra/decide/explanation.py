"""A decision explained to users: states, conditions, and what happens to each adapter. Pure."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from dittoinfra.decide.adapter_texts import absent_text, moved_text
from dittoinfra.decide.decision import Decision
from dittoinfra.decide.endpoints import Endpoints, service_endpoints
from dittoinfra.decide.host_names import host_states
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Missing,
    Reason,
    RememberedAdapter,
    ServerDecision,
    ServerMemory,
    StackDecision,
    StackMemory,
    State,
)
from dittoinfra.naming import adapter_resource
from dittoinfra.nested_values import block
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory

_NAMED = 10
"""Adapters that a line names before it counts the others."""


def state_text(adapter: DeclaredAdapter, absence_polls: int) -> str:
    """The state of an adapter: `serving`, `absent 1/3`, `pinned`, `kept`, `disabled`, `not running`."""
    if adapter.state in (State.ABSENT, State.KEPT) and adapter.absences:
        return absent_text(adapter.absences, absence_polls)
    return str(adapter.state)


def outcome_text(decision: ServerDecision) -> str:
    """How the poll ended, in one word; `bootstrap` where nothing is known of the server yet."""
    return "bootstrap" if decision.bootstrap else decision.outcome.name


def decision_text(decision: StackDecision, servers: Sequence[ServerSettings]) -> str:
    """The whole decision: each server, its adapters, and its removals."""
    lines: list[str] = []
    for server in servers:
        decided, limit = decision.servers[server.name], server.absence_polls
        lines.append(f"{server.name}: {outcome_text(decided)}")
        lines += (f"  = {this.type} {this.port} {state_text(this, limit)}" for this in decided.adapters)
        lines += (f"  - {removal.type} {removal.reason}" for removal in decided.removals)
    unconfigured = (this for this in decision.removals if this.server not in decision.servers)
    lines += (f"- {removal.name} {removal.reason}" for removal in unconfigured)
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a server, as Kubernetes knows them; without a clock, or every run would change it."""

    type: str
    """`APIReachable`, `AdaptersReady` or `Ready`."""
    status: str
    """`True`, `False` or `Unknown`."""
    reason: str
    """Why, in one word."""
    message: str
    """Why, for people."""


UNCHECKED = Condition(
    "Ready", "Unknown", "NotChecked", "`dittoinfra status` asks the cluster whether clients can connect"
)
"""All that a run can say of a server whose API answered and whose adapters are served."""


def conditions(
    server: ServerSettings, decision: ServerDecision, connected: Condition = UNCHECKED
) -> tuple[Condition, Condition, Condition]:
    """Whether the API answers, whether every adapter is served, and whether clients can connect to them.

    `connected` is what the cluster says of the last, which counts where the first two are true.
    """
    outcome = decision.outcome
    reachable = (
        Condition("APIReachable", "True", "Answered", "the API answered")
        if isinstance(outcome, Answered)
        else Condition("APIReachable", "False", outcome.name.capitalize(), outcome.why)
    )
    ready = _adapters_ready(server, decision)
    lacking = next((c for c in (reachable, ready) if c.status == "False"), connected)
    return reachable, ready, replace(lacking, type="Ready")


def held_text(refusals: Sequence[object], memory: StackMemory) -> str:
    """What a run says that was refused, and that holds everything instead of failing."""
    names = [adapter_resource(server, this) for server in sorted(memory) for this in sorted(memory[server])]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    kept = f" ({', '.join(names[:_NAMED])}{more} stay as they are)" if names else ""
    return f"held: nothing changes{kept}: {'; '.join(map(str, refusals))}"


def held_outputs(outputs: Mapping[str, Any], why: str) -> dict[str, Any]:
    """The outputs of a stack as its state has them, except that no server of it is ready."""
    ready = asdict(Condition("Ready", "False", "Held", why))
    servers = {}
    for name in block(outputs, "servers"):
        server = block(outputs, "servers", name)
        others = [this for this in server.get("conditions") or () if this.get("type") != ready["type"]]
        servers[name] = {**server, "conditions": [*others, ready]}
    return {**outputs, "servers": servers}


def held_server(
    name: str, server: ServerSettings, decision: ServerDecision, memory: Memory, why: str
) -> dict[str, Any]:
    """The outputs of a component that is held, from its state; `name` is what its server is called there."""
    remembered = memory.adapters.get(name, {})
    adapters = [
        DeclaredAdapter(type_, this.port or 0, State.KEPT, this.absences)
        for type_, this in sorted(remembered.items())
    ]
    reachable, ready, _ = conditions(server, replace(decision, adapters=tuple(adapters)))
    held = Condition("Ready", "False", "Held", why)
    return {
        "serverName": name,
        "namespace": memory.servers[name].namespace if name in memory.servers else server.namespace,
        "adapters": {
            this.type: {
                "state": state_text(this, server.absence_polls),
                "port": this.port,
                **_where_held(adapter_resource(name, this.type), this.type, memory),
            }
            for this in adapters
        },
        "conditions": [asdict(condition) for condition in (reachable, ready, held)],
    }


def _where_held(resource: str, adapter_type: str, memory: Memory) -> dict[str, Any]:
    """Where clients find an adapter, and its names, as the state has them."""
    service = memory.contents.get(HeldObject("v1", "Service", resource), {})
    found = service_endpoints(service, adapter_type) or Endpoints(None, None)
    endpoints = {
        "type": found.service_type,
        "internal": found.internal,
        "external": [*found.external],
        "nodePort": found.node_port,
    }
    known = {"endpoints": {key: value for key, value in endpoints.items() if value is not None}}
    told = memory.names.told.get(resource)
    if told is None:
        return known
    names, located = told.names, told.located
    dns = {
        "backend": names.backend,
        "hostname": names.hostname,
        "aliases": [*names.aliases],
        "addresses": [*located.addresses],
        "reason": str(host_states(names, located)[names.hostname]),
    }
    return {**known, "dns": dns}


def _adapters_ready(server: ServerSettings, decision: ServerDecision) -> Condition:
    served = [a for a in decision.adapters if a.state in (State.SERVING, State.PINNED)]
    waiting = [a for a in decision.adapters if a not in served]
    if waiting:
        states = ", ".join(f"{a.type} {state_text(a, server.absence_polls)}" for a in waiting)
        stopped = any(a.state is State.NOT_RUNNING for a in waiting)
        return Condition("AdaptersReady", "False", "NotRunning" if stopped else "NotServed", states)
    if decision.bootstrap and not served:
        return Condition("AdaptersReady", "False", "Bootstrap", "no adapters are known yet")
    names = ", ".join(a.type for a in served) or "no adapters are enabled"
    return Condition("AdaptersReady", "True", "Served", names)


class Action(StrEnum):
    """What happens to an adapter's Service."""

    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    KEEP = "keep"
    NOTHING = "nothing"
    """There is none, and none is created."""
    STOP = "stop"
    """It must be kept and its port is unknown: the run stops."""

    @property
    def changes(self) -> bool:
        """Whether the action changes the Service."""
        return self in (Action.CREATE, Action.UPDATE, Action.REMOVE)


@dataclass(frozen=True, slots=True)
class AdapterAction:
    """What happens to one adapter."""

    type: str
    action: Action
    why: str
    configured: bool = False
    """Whether the configuration alone decides this, whatever the server answers."""


def adapter_actions(
    server: ServerSettings, memory: ServerMemory, decision: ServerDecision
) -> tuple[AdapterAction, ...]:
    """What happens to each adapter of a server that is known, ordered by type."""
    answer = decision.outcome.adapters if isinstance(decision.outcome, Answered) else ()
    reported = {adapter.type: adapter for adapter in answer}
    limit = server.absence_polls
    removed = {Reason.DISABLED: "disabled on the server", Reason.ABSENT: absent_text(limit, limit)}
    lost = "it must be kept, but the state has lost its port"
    actions = {
        **{a.type: _declared(server, memory.get(a.type), a, reported, decision) for a in decision.adapters},
        **{r.type: AdapterAction(r.type, Action.REMOVE, removed[r.reason]) for r in decision.removals},
        **{name: AdapterAction(name, Action.STOP, lost) for name in decision.lost},
    }
    for name, adapter in reported.items():
        why = "enabled, but not running" if adapter.enabled else "disabled"
        actions.setdefault(name, AdapterAction(name, Action.NOTHING, why))
    return tuple(actions[name] for name in sorted(actions))


def unconfigured_actions(memory: ServerMemory) -> tuple[AdapterAction, ...]:
    """What happens to the adapters of a server that is not configured any more."""
    why = "its server is not configured any more"
    return tuple(AdapterAction(name, Action.REMOVE, why, configured=True) for name in sorted(memory))


def service_reasons(decision: Decision, memory: StackMemory) -> Mapping[str, str]:
    """Why the Service of each adapter changes where it does, by the adapter's name (server/type)."""
    stack, guarded = decision.adapters, decision.guarded
    # Where the decision keeps a Service that the run changes, the cluster or the configuration has changed.
    elsewhere = {
        **{this.held.name: "deleted in the cluster" for this in guarded.gone if this.held.kind == "Service"},
        **{this.held.name: "edited in the cluster" for this in guarded.edited if this.held.kind == "Service"},
    }
    reasons = {}
    for server in decision.known:
        for this in adapter_actions(server, memory.get(server.name, {}), stack.servers[server.name]):
            name = adapter_resource(server.name, this.type)
            changed = elsewhere.get(name, "the configuration changed")
            reasons[name] = this.why if this.action.changes else f"{this.why}, {changed}"
    for server_name in memory.keys() - stack.servers.keys():
        for this in unconfigured_actions(memory[server_name]):
            reasons[adapter_resource(server_name, this.type)] = this.why
    reshaped = {
        Reason.MOVED: "its server has another namespace or cluster",
        Reason.REPOINTED: "its server is asked at another address, where it is not served",
        Reason.UNSPLIT: "its UDP ports need no Service of their own any more",
    }
    return reasons | {this.name: reshaped[this.reason] for this in stack.removals if this.reason in reshaped}


def _declared(
    server: ServerSettings,
    before: RememberedAdapter | None,
    adapter: DeclaredAdapter,
    reported: Container[str],
    decision: ServerDecision,
) -> AdapterAction:
    why = _why(server, adapter, reported, decision)
    configured = adapter.state is State.PINNED
    if before is None:
        return AdapterAction(adapter.type, Action.CREATE, f"{why}, not in the stack yet", configured)
    changes = tuple(_changes(server, before, adapter))
    action = Action.UPDATE if changes or before.absences != adapter.absences else Action.KEEP
    return AdapterAction(adapter.type, action, ", ".join((why, *changes)), configured)


def _changes(server: ServerSettings, before: RememberedAdapter, adapter: DeclaredAdapter) -> Iterator[str]:
    if before.port is None:
        yield f"the state has lost its port, which is {adapter.port}"
    elif before.port != adapter.port:
        yield moved_text(before.port, adapter.port)
    if before.absences and not adapter.absences:
        yield f"{absent_text(before.absences, server.absence_polls)} is cleared"
    if before.namespace not in (None, server.namespace):
        yield f"replaced by a Service in namespace {server.namespace}, with another address"


def _why(
    server: ServerSettings, adapter: DeclaredAdapter, reported: Container[str], decision: ServerDecision
) -> str:
    absent = absent_text(adapter.absences, server.absence_polls)
    match adapter.state:
        case State.SERVING:
            return "served"
        case State.PINNED:
            return "pinned by the configuration"
        case State.DISABLED:
            return "disabled, kept because removal is never"
        case State.NOT_RUNNING:
            return "enabled but not running, kept"
        case State.ABSENT:
            how = "not running" if adapter.type in reported else "missing from the answer"
            if isinstance(decision.outcome, Missing):
                how = "its server is not listed any more"
            kept = ", kept because removal is never" if adapter.absences >= server.absence_polls else ""
            return f"{how}, {absent}{kept}"
        case _:
            counted = f", {absent} stays" if adapter.absences else ""
            return f"{decision.outcome.name}{counted}"
