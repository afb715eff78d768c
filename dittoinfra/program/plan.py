"""What a preview has promised, and whether a later run would keep the promise. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dittoinfra.decide import outcome_text
from dittoinfra.model import StackDecision
from dittoinfra.program.inquiry import Answers

Decided = Mapping[str, Mapping[str, str]]
"""What is decided of every adapter, in words: by server, then by adapter type."""


@dataclass(frozen=True, slots=True, order=True)
class PlannedChange:
    """One thing that the engine would do to one resource."""

    urn: str
    operation: str
    properties: tuple[str, ...] = ()
    """Paths that differ, as the provider names them."""


@dataclass(frozen=True, slots=True)
class StackPlan:
    """One stack's preview, and all that must be the same for it to come true."""

    answers: Answers
    state: Mapping[str, str]
    """Fingerprints of the state, by URN."""
    configuration: Mapping[str, str]
    """Fingerprints of the configuration, by key."""
    decided: Decided
    changes: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Previews of one or several stacks, saved together."""

    dittoinfra: str
    """The version that made it: another one may declare other things from the same answers."""
    project: str
    salt: bytes
    """Of the fingerprints of encrypted configuration."""
    stacks: Mapping[str, StackPlan] = field(default_factory=dict)
    targets: tuple[str, ...] = ()


def decided(decision: StackDecision) -> Decided:
    """A decision in words that can be compared."""
    told = {
        name: {
            "": outcome_text(server),
            **{a.type: f"{a.port} {a.state} {a.absences}" for a in server.adapters},
            **{r.type: f"removed: {r.reason}" for r in server.removals},
        }
        for name, server in decision.servers.items()
    }
    for removal in decision.removals:
        told.setdefault(removal.server, {})[removal.type] = f"removed: {removal.reason}"
    return told


def moved(plan: StackPlan, state: Mapping[str, str], configuration: Mapping[str, str]) -> tuple[str, ...]:
    """What of the stack's state and configuration is not as it was when the plan was made."""
    return (
        *(f"{key} of the configuration {how}" for key, how in _compare(plan.configuration, configuration)),
        *(f"{_resource(urn)} {how} in the stack's state" for urn, how in _compare(plan.state, state)),
    )


def other_decision(plan: StackPlan, now: Decided) -> tuple[str, ...]:
    """Servers of which the same answers would mean something else now."""
    servers = sorted(plan.decided.keys() | now.keys())
    return tuple(
        f"{server} would be decided otherwise"
        for server in servers
        if plan.decided.get(server) != now.get(server)
    )


def other_changes(plan: StackPlan, now: Iterable[PlannedChange]) -> tuple[str, ...]:
    """Changes that the plan does not have, and changes that only the plan has."""
    planned, found = set(plan.changes), set(now)
    return (
        *(f"it would now {_change(change)}, which is not planned" for change in sorted(found - planned)),
        *(f"it would no longer {_change(change)}, as planned" for change in sorted(planned - found)),
    )


def _compare(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in sorted(before.keys() | now.keys()):
        if key not in now:
            yield key, "is gone"
        elif key not in before:
            yield key, "is new"
        elif before[key] != now[key]:
            yield key, "has changed"


def _change(change: PlannedChange) -> str:
    where = f" ({_listed(change.properties)})" if change.properties else ""
    return f"{change.operation} {_resource(change.urn)}{where}"


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _resource(urn: str) -> str:
    """A resource as people know it: `Service media/nfs`."""
    _, _, qualified_type, name = urn.split("::", 3)
    return f"{qualified_type.rpartition(':')[2]} {name}"
