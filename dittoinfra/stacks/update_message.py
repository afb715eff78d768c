"""What an update tells the backend's history: a title, and why each object changes. Written and read here.

The message is the only part of a history entry that a run can write, and it has to be known before the engine
starts: it says what was previewed, and the entry's result whether that came true.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dittoinfra.changes import Change, Changes, in_words
from dittoinfra.naming import adapter_resource
from dittoinfra.request import Operation
from dittoinfra.stacks.result import RunReport
from dittoinfra.urns import adapter_of, resource_text
from dittoinfra.visible import one_line

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.program.survey import RunRecord

LIMIT = 8_000
"""Characters: more than a hundred changes, and far less than a process may be given as one argument."""

DESTROYED = "the stack is destroyed"
"""Why everything is deleted that a `destroy` deletes."""

_PATHS = 3
"""So many changed properties of an object are named."""

_LINE = re.compile(rf"(?P<change>{'|'.join(Change)}) (?P<object>[A-Z]\w* \S+)(?:: (?P<reason>.*))?")


@dataclass(frozen=True, slots=True)
class NotedChange:
    """What becomes of one object, and why."""

    change: Change
    """What becomes of it."""
    object: str
    """Its kind and its name in the stack: `Service media/smb`."""
    reason: str
    """Why; empty where the run had no reason of its own."""

    def is_about(self, adapter: str) -> bool:
        """Whether it is about the objects of an adapter (server/type)."""
        return self.object.partition(" ")[2] == adapter


def previewed_changes(operation: Operation, report: RunReport) -> list[NotedChange]:
    """Everything that a preview foresees."""
    general = {Operation.DESTROY: DESTROYED, Operation.REFRESH: "as found in the cluster"}
    return [
        NotedChange(
            step.change,
            resource_text(step.urn),
            general.get(operation)
            or (report.reasons.get(step.name) if adapter_of(step.urn) else None)
            or ", ".join(step.changed[:_PATHS]),
        )
        for step in report.objects(planned=True)
    ]


def decided_changes(record: "RunRecord") -> list[NotedChange]:
    """What becomes of the Services of adapters, as far as the decision alone says so."""
    from dittoinfra.decide.explanation import Action, adapter_actions, unconfigured_actions

    changes = {Action.CREATE: Change.CREATE, Action.UPDATE: Change.UPDATE, Action.REMOVE: Change.DELETE}
    decision, memory = record.decision, record.memory.adapters
    decided = decision.adapters.servers
    actions = {
        **{s.name: adapter_actions(s, memory.get(s.name, {}), decided[s.name]) for s in decision.known},
        **{name: unconfigured_actions(memory[name]) for name in memory.keys() - decided.keys()},
    }
    return [
        NotedChange(changes[this.action], f"Service {adapter_resource(server, this.type)}", this.why)
        for server, found in actions.items()
        for this in found
        if this.action in changes
    ]


def update_message(title: str, changes: Iterable[NotedChange], written: str | None = None) -> str | None:
    """The message of a run that changes these; `written` is the user's own title."""
    # A message that has to be cut keeps what comes first.
    ordered = sorted(changes, key=lambda each: (each.change.severity, each.object))
    if not ordered:
        return written
    counted = Changes.of(each.change for each in ordered)
    lines = [written or f"{title}: {in_words(counted, planned=True)}"]
    size = len(lines[0])
    for number, each in enumerate(ordered):
        line = one_line(f"{each.change} {each.object}{f': {each.reason}' if each.reason else ''}")
        size += len(line) + 1
        if size > LIMIT:
            lines.append(f"and {len(ordered) - number} more")
            break
        lines.append(line)
    return "\n".join(lines)


def read_message(message: str) -> tuple[str, Sequence[NotedChange]]:
    """The title and the changes in a message; one that was written by others is all title."""
    title, changes = [], []
    for line in message.splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            title.append(line)
        else:
            noted = NotedChange(Change(found["change"]), found["object"], found["reason"] or "")
            changes.append(noted)
    return "\n".join(title).strip(), changes
