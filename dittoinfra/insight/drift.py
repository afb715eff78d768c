"""How a stack differs from what it should be, and whose doing each difference is. Pure.

| kind | somebody changed | found by |
|---|---|---|
| intent | adapters, on the server | the decision that its answer leads to, beside what the stack remembers |
| cluster | objects, in the cluster | a refresh that is only previewed |
| configuration | settings, or the program | a preview in which every server says what is remembered anyway |
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from dittoinfra.automation import RunReport, Step, whole_steps
from dittoinfra.decide.outlook import outlook
from dittoinfra.document import Document
from dittoinfra.model import Unanswered
from dittoinfra.naming import adapter_resource
from dittoinfra.program import RunRecord

_COMPONENTS = ("dittoinfra:", "pulumi:")
"""What types of resources begin with that are no objects of anybody's."""


class Kind(StrEnum):
    """Whose doing a difference is."""

    INTENT = "intent"
    CLUSTER = "cluster"
    CONFIGURATION = "configuration"


class Finding(Document):
    """One difference, or one thing that could not be checked."""

    kind: Kind
    subject: str
    """What it is about: an adapter, an object, a server, or the stack."""
    text: str
    """What is different, or why it cannot be told."""


class StackDrift(Document):
    """What was found about one stack."""

    stack: str
    drift: tuple[Finding, ...] = ()
    unknown: tuple[Finding, ...] = ()
    """What could not be checked. A server that gives no answer is no drift."""
    errors: tuple[str, ...] = ()
    """Why the stack could not be checked at all."""
    exit_code: int = 0
    """0 without drift, 7 with drift, and the pulumi CLI's where something failed."""


class DriftDocument(Document):
    """`dittoinfra drift --json`."""

    stacks: tuple[StackDrift, ...]


def intent_drift(record: RunRecord) -> Iterator[Finding]:
    """What answered servers say, and the stack does not do yet."""
    for server in record.servers:
        decision = record.decision.servers[server.name]
        if isinstance(decision.outcome, Unanswered):
            continue
        for this in outlook(server, record.memory.adapters.get(server.name, {}), decision):
            if this.action.changes and not this.configured:
                adapter = adapter_resource(server.name, this.type)
                yield Finding(kind=Kind.INTENT, subject=adapter, text=f"{this.action}: {this.why}")


def unanswered(record: RunRecord) -> Iterator[Finding]:
    """Servers of which nobody can tell what they should have."""
    for server in record.servers:
        outcome = record.decision.servers[server.name].outcome
        if isinstance(outcome, Unanswered):
            text = f"{type(outcome).__name__.lower()}: {outcome.why}"
            yield Finding(kind=Kind.INTENT, subject=server.name, text=text)


def cluster_drift(refreshed: RunReport) -> Iterator[Finding]:
    """Objects that are not in the cluster as the stack left them."""
    for step in _objects(refreshed.steps):
        what = "deleted" if step.operation == "delete" else f"changed: {', '.join(step.changed) or 'somehow'}"
        yield Finding(kind=Kind.CLUSTER, subject=_subject(step), text=what)


def configuration_drift(foretold: RunReport) -> Iterator[Finding]:
    """What a run would change although every server says what is remembered anyway."""
    for step in _objects(foretold.steps):
        paths = f": {', '.join(step.changed)}" if step.changed else ""
        yield Finding(kind=Kind.CONFIGURATION, subject=_subject(step), text=f"{step.operation}{paths}")


def stopped(kind: Kind, stack: str, reasons: Iterable[object]) -> Iterator[Finding]:
    """Changes that a run would refuse."""
    for reason in reasons:
        yield Finding(kind=kind, subject=stack, text=f"the next run would stop: {reason}")


def unchecked(kind: Kind, stack: str, reasons: Iterable[object]) -> Iterator[Finding]:
    """What could not be found out."""
    for reason in reasons:
        yield Finding(kind=kind, subject=stack, text=str(reason))


def _objects(steps: Sequence[Step]) -> Sequence[Step]:
    """Steps that touch objects; components speak for themselves only where there is nothing in them."""
    whole = whole_steps(steps)
    return [step for step in whole if not step.type.startswith(_COMPONENTS)] or whole


def _subject(step: Step) -> str:
    return f"{step.type.rpartition(':')[2]} {step.name}"
