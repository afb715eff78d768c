"""Which namespaces the stack declares. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dittoinfra.model import HeldObject, Note
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class NamespaceDecision:
    """Namespaces to declare, each once however many servers live in it."""

    declared: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def wanted_namespaces(servers: Sequence[ServerSettings]) -> tuple[str, ...]:
    """Namespaces that some server wants to have declared."""
    return tuple(sorted({s.namespace for s in servers if s.deploy is not None and s.deploy.create_namespace}))


def decide_namespaces(
    servers: Sequence[ServerSettings], existing: Mapping[str, bool], held: frozenset[HeldObject]
) -> NamespaceDecision:
    """A namespace of somebody else is used as it is; one of which nothing is known is declared."""
    wanted = wanted_namespaces(servers)
    foreign = {name for name in wanted if existing.get(name, False) and held_namespace(name) not in held}
    return NamespaceDecision(
        declared=tuple(name for name in wanted if name not in foreign),
        notes=tuple(
            Note(s.name, f"namespace {s.namespace} exists already: used as it is, and not this stack's")
            for s in servers
            if s.deploy is not None and s.deploy.create_namespace and s.namespace in foreign
        ),
    )


def held_namespace(name: str) -> HeldObject:
    """How the engine's state knows a namespace."""
    return HeldObject("v1", "Namespace", name)
