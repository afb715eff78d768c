"""Settings for adapter types that no server has: they have no effect, and are misspelt as a rule. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from dittoinfra.model import DEFAULT_PORTS, Answered, Note, ServerDecision, StackMemory
from dittoinfra.settings import ServerSettings


def unserved_types(
    servers: Sequence[ServerSettings], decided: Mapping[str, ServerDecision], memory: StackMemory
) -> Iterator[Note]:
    """A warning for each such type, while all servers answer: one that does not may have it."""
    outcomes = [decided[server.name].outcome for server in servers]
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answered)]
    if len(answers) < len(outcomes):
        return
    listed = {adapter.type for answer in answers for adapter in answer.adapters}
    known = {*DEFAULT_PORTS, *listed, *(name for adapters in memory.values() for name in adapters)}
    reported: set[str] = set()
    for server in servers:
        pinned = {pin.type for pin in server.adapters.pinned}
        for name in sorted(server.adapters.types.keys() - known - pinned - reported):
            reported.add(name)
            text = (
                f"adapters.types.{name} has no effect: no server has an adapter of that type; "
                f"they have {', '.join(sorted(listed)) or 'none'}"
            )
            yield Note(server.name, text, warning=True)
