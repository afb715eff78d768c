"""Builders for answers, memory and settings."""

from dittoinfra.model import (
    Answered,
    Denied,
    Nonsense,
    RememberedAdapter,
    ReportedAdapter,
    ServerDecision,
    ServerMemory,
    Unanswered,
    Unreachable,
)
from dittoinfra.settings import ServerSettings, TypeSettings

UNREACHABLE = Unreachable("connection refused")
DENIED = Denied("HTTP 401")
NONSENSE = Nonsense("not JSON")
UNANSWERED: tuple[Unanswered, ...] = (UNREACHABLE, DENIED, NONSENSE)


def server(name: str = "media", **settings: object) -> ServerSettings:
    """A server, its settings under their names in the configuration."""
    return ServerSettings.model_validate({"name": name, **settings})


def type_settings(**settings: object) -> TypeSettings:
    """How an adapter is exposed, under the names in the configuration."""
    return TypeSettings.model_validate(settings)


def serving(adapter_type: str, port: int) -> ReportedAdapter:
    """Enabled and running."""
    return ReportedAdapter(adapter_type, port, enabled=True, running=True)


def stopped(adapter_type: str, port: int) -> ReportedAdapter:
    """Enabled, but not running."""
    return ReportedAdapter(adapter_type, port, enabled=True, running=False)


def disabled(adapter_type: str, port: int) -> ReportedAdapter:
    """Switched off."""
    return ReportedAdapter(adapter_type, port, enabled=False, running=False)


def answer(*adapters: ReportedAdapter) -> Answered:
    """A valid list."""
    return Answered(adapters)


def remembering(*adapters: tuple[str, int | None] | tuple[str, int | None, int]) -> ServerMemory:
    """Memory of (type, port) or (type, port, absences)."""
    return {adapter[0]: RememberedAdapter(*adapter) for adapter in adapters}


def declared(decision: ServerDecision) -> list[tuple[str, int, str, int]]:
    """What is declared, as (type, port, state, absences)."""
    return [(a.type, a.port, str(a.state), a.absences) for a in decision.adapters]


def removed(decision: ServerDecision) -> list[tuple[str, str]]:
    """What goes, as (type, reason)."""
    return [(r.type, str(r.reason)) for r in decision.removals]


def said(decision: ServerDecision) -> list[str]:
    """What people read about it, each line under the server's name."""
    assert {note.server for note in decision.notes} <= {decision.server}
    return [note.text for note in decision.notes]
