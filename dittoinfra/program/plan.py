"""The changes of a preview, and whether a later run would make exactly these. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dittoinfra.decide.explanation import outcome_text
from dittoinfra.decide.observations import Answers
from dittoinfra.decide.refusals import LOSES_ADDRESS
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Missing,
    RememberedAdapter,
    Removal,
    ServerDecision,
    StackDecision,
    StackMemory,
    Unanswered,
)
from dittoinfra.urns import resource_text

Decided = Mapping[str, Mapping[str, str]]
"""What is decided about every adapter, as text: by server, then by adapter type."""


@dataclass(frozen=True, slots=True, order=True)
class PlannedChange:
    """One operation of the engine on one resource."""

    urn: str
    operation: str
    properties: tuple[str, ...] = ()
    """Paths that differ, as the provider names them."""


@dataclass(frozen=True, slots=True)
class StackPlan:
    """One stack's preview, and everything that must be unchanged for it to apply."""

    answers: Answers
    decided: Decided
    changes: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Previews of one or several stacks, saved together."""

    dittoinfra: str
    """The version that created it: another one may declare other things from the same answers."""
    project: str
    stacks: Mapping[str, StackPlan] = field(default_factory=dict)
    targets: tuple[str, ...] = ()


def decided(decision: StackDecision) -> Decided:
    """A decision as text that can be compared."""
    texts = {
        name: {
            "": outcome_text(server),
            **{a.type: f"{a.port} {a.state} {a.absences}" for a in server.adapters},
            **{r.type: f"removed: {r.reason}" for r in server.removals},
        }
        for name, server in decision.servers.items()
    }
    for removal in decision.removals:
        texts.setdefault(removal.server, {})[removal.type] = f"removed: {removal.reason}"
    return texts


def other_decision(plan: StackPlan, now: Decided) -> tuple[str, ...]:
    """Servers for which the same answers would lead to another decision now."""
    return tuple(
        f"{server} would be decided otherwise"
        for server in sorted(plan.decided.keys() | now.keys())
        if plan.decided.get(server) != now.get(server)
    )


def other_changes(plan: StackPlan, now: Iterable[PlannedChange]) -> tuple[str, ...]:
    """Changes that the plan does not have, and changes that only the plan has."""
    planned, found = set(plan.changes), set(now)
    return (
        *(f"it would now {_change(change)}, which is not planned" for change in sorted(found - planned)),
        *(f"it would no longer {_change(change)}, as planned" for change in sorted(planned - found)),
    )


def contradictions(planned: StackDecision, today: StackDecision, memory: StackMemory) -> tuple[str, ...]:
    """Planned decisions that no answer supports any more; a removal needs an answer that supports it."""
    return (*_kept_after_all(planned, today), *_declared_otherwise(planned, today, memory))


def news(planned: StackDecision, today: StackDecision) -> tuple[str, ...]:
    """What servers answer today and the plan does not have: it waits for the next run."""
    return tuple(
        f"{name}: {', '.join(changed)} changed since the plan was made; the next run sees to it"
        for name, now in today.servers.items()
        if isinstance(now.outcome, Answered) and (changed := sorted(_changed(planned.servers.get(name), now)))
    )


def _change(change: PlannedChange) -> str:
    paths = change.properties
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    where = f" ({', '.join(paths[:3])}{more})" if paths else ""
    return f"{change.operation} {resource_text(change.urn)}{where}"


def _kept_after_all(planned: StackDecision, today: StackDecision) -> Iterator[str]:
    """Planned removals, including moves, that today's answers do not lead to, or that have no answer."""
    for removal in planned.removals:
        server = today.servers.get(removal.server)
        # A server that is no longer configured is polled for neither decision.
        if server is not None and not (_has_answered(server) and _removed_today(removal, server, today)):
            yield _not_removed(removal, server)


def _removed_today(planned: Removal, server: ServerDecision, today: StackDecision) -> bool:
    """Whether today's decision removes it as well.

    An adapter that moves is declared: that it is to move today does not support deleting its Service, because
    it serves again.
    """
    if planned.reason in LOSES_ADDRESS:
        return planned in today.removals
    return any(removal.type == planned.type for removal in server.removals)


def _declared_otherwise(planned: StackDecision, today: StackDecision, memory: StackMemory) -> Iterator[str]:
    for name, server in planned.servers.items():
        then = today.servers.get(name)
        if then is None:
            if server.adapters or server.removals:
                yield f"{name} is not among the servers that the cluster lists any more"
        elif _has_answered(then):
            now = {adapter.type: adapter for adapter in then.adapters}
            for adapter in server.adapters:
                before = memory.get(name, {}).get(adapter.type)
                yield from _not_declared(name, adapter, before, now.get(adapter.type))


def _has_answered(decision: ServerDecision) -> bool:
    return isinstance(decision.outcome, Answered | Missing)


def _not_removed(removal: Removal, today: ServerDecision) -> str:
    what = f"the removal of {removal.type} is planned because it was {removal.reason}"
    if isinstance(today.outcome, Unanswered):
        return f"{removal.server} gives no answer today ({today.outcome}), and {what}"
    states = {
        **{this.type: str(this.reason) for this in today.removals},
        **{this.type: str(this.state) for this in today.adapters},
    }
    return f"{removal.server} says today that it is {states.get(removal.type, 'unknown')}, and {what}"


def _not_declared(
    server: str, planned: DeclaredAdapter, before: RememberedAdapter | None, now: DeclaredAdapter | None
) -> Iterator[str]:
    if before is None or before.port != planned.port:
        if now is None or now.port != planned.port:
            today = f"it is on port {now.port} today" if now else "it is not served today"
            yield f"{planned.type} of {server} is planned on port {planned.port}, and {today}"
    elif planned.absences > before.absences and (now is not None and now.absences < planned.absences):
        yield f"{planned.type} of {server} is planned to count as absent, and it is {now.state} today"


def _changed(planned: ServerDecision | None, today: ServerDecision) -> set[str]:
    """Types of the adapters that are decided otherwise."""
    then = _adapter_texts(planned) if planned else set()
    return {adapter_type for adapter_type, _ in then ^ _adapter_texts(today)}


def _adapter_texts(decision: ServerDecision) -> set[tuple[str, str]]:
    declared = {(adapter.type, f"{adapter.port} {adapter.state}") for adapter in decision.adapters}
    return declared | {(removal.type, "removed") for removal in decision.removals}
