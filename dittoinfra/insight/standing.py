"""How a stack stands: what the API says, what the stack holds, what comes next. Pure."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dittoinfra.automation import Step
from dittoinfra.blocks import block
from dittoinfra.decide import conditions, state_text
from dittoinfra.decide.outlook import Action, Outlook, outlook, unconfigured
from dittoinfra.insight.endpoints import endpoints
from dittoinfra.insight.facts import Facts, Live, NotTold
from dittoinfra.insight.held import place
from dittoinfra.insight.views import (
    AdapterView,
    Api,
    ConditionView,
    Endpoints,
    Held,
    LastRun,
    Next,
    NextChanges,
    Reported,
    ServerView,
    StackView,
    Update,
)
from dittoinfra.memory import adapter_of
from dittoinfra.model import Answered, Outcome
from dittoinfra.settings import ServerSettings


def stack_view(facts: Facts) -> StackView:
    """Everything about one stack."""
    record, foretold = facts.record, facts.foretold
    gone = sorted(record.memory.adapters.keys() - record.decision.servers.keys())
    latest = facts.history[0] if facts.history else None
    changes = foretold.changes
    return StackView(
        stack=facts.stack,
        last_operation=_operation(latest) if latest else None,
        updating=latest is not None and latest.get("result") == "in-progress",
        pending=facts.held.pending,
        next_changes=NextChanges(
            create=changes.creates, update=changes.updates, delete=changes.deletes, replace=changes.replaces
        )
        if foretold.ok
        else None,
        stopped=() if foretold.ok else tuple(map(str, record.refused)) or tuple(foretold.lines("error")),
        cluster_unknown=facts.live.why if isinstance(facts.live, NotTold) else None,
        servers=(*(_server(facts, s) for s in record.servers), *(_unconfigured(facts, n) for n in gone)),
    )


def _server(facts: Facts, server: ServerSettings) -> ServerView:
    record = facts.record
    decision = record.decision.servers[server.name]
    memory = record.memory.adapters.get(server.name, {})
    states = {a.type: state_text(a, server.absence_polls) for a in decision.adapters}
    return ServerView(
        name=server.name,
        namespace=server.namespace,
        api=_api(facts, server.name, decision.outcome),
        conditions=tuple(ConditionView(**asdict(c)) for c in conditions(server, decision)),
        adapters=tuple(
            _adapter(facts, server.name, this, states.get(this.type), decision.outcome)
            for this in outlook(server, memory, decision)
        ),
    )


def _unconfigured(facts: Facts, name: str) -> ServerView:
    memory = facts.record.memory.adapters[name]
    return ServerView(
        name=name,
        namespace=None,
        api=Api(outcome="unconfigured", why=None, last_run=None),
        conditions=(),
        adapters=tuple(_adapter(facts, name, this, None, None) for this in unconfigured(memory)),
    )


def _api(facts: Facts, server: str, outcome: Outcome) -> Api:
    return Api(
        outcome=type(outcome).__name__.lower(),
        why=None if isinstance(outcome, Answered) else outcome.why,
        last_run=_last_run(facts, server),
    )


def _last_run(facts: Facts, server: str) -> LastRun | None:
    """What the last update found, where the state can only be that update's."""
    latest = next((entry for entry in facts.history if entry.get("kind") == "update"), None)
    found = block(facts.held.servers, server).get("conditions") or ()
    reachable = next((c for c in found if c.get("type") == "APIReachable"), None)
    # One that failed may or may not have come so far as to write its outputs.
    if latest is None or latest.get("result") != "succeeded" or reachable is None:
        return None
    return LastRun(at=str(latest.get("endTime")), answered=reachable.get("status") == "True")


def _adapter(
    facts: Facts, server: str, this: Outlook, state: str | None, outcome: Outcome | None
) -> AdapterView:
    answer = outcome.adapters if isinstance(outcome, Answered) else ()
    reported = next((a for a in answer if a.type == this.type), None)
    held = facts.record.memory.adapters.get(server, {}).get(this.type)
    dns = block(facts.held.servers, server, "adapters", this.type, "dns")
    return AdapterView(
        stack=facts.stack,
        server=server,
        type=this.type,
        api=Reported(enabled=reported.enabled, running=reported.running, port=reported.port)
        if reported
        else None,
        held=Held(port=held.port, absences=held.absences) if held else None,
        state=state,
        next=_next(this, _step(facts, server, this.type)),
        endpoints=_endpoints(facts, server, this.type),
        names=tuple(filter(None, (dns.get("hostname"), *(dns.get("aliases") or ())))),
    )


def _step(facts: Facts, server: str, adapter_type: str) -> Step | None:
    steps = facts.foretold.steps
    return next((step for step in steps if adapter_of(step.urn) == (server, adapter_type)), None)


def _next(this: Outlook, step: Step | None) -> Next:
    # What the decision leaves alone and the engine does not, the configuration must have changed.
    if this.action is Action.KEEP and step is not None:
        what = ", ".join(step.changed) or step.operation
        return Next(action=Action.UPDATE, why=f"{this.why}, the configuration changed: {what}")
    return Next(action=this.action, why=this.why)


def _endpoints(facts: Facts, server: str, adapter_type: str) -> Endpoints | None:
    held = facts.held.services.get((server, adapter_type))
    if held is None:
        return None
    match facts.live:
        case Live(services):
            service = services.get(place(held))
            return endpoints(adapter_type, service, live=True) if service is not None else None
        case NotTold():
            return endpoints(adapter_type, held, live=False)


def _operation(entry: Mapping[str, Any]) -> Update:
    return Update(
        kind=str(entry.get("kind")), result=str(entry.get("result")), at=str(entry.get("endTime") or "")
    )
