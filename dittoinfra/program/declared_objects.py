"""The Kubernetes objects that a decision declares, as values and without an engine.

Namespaces, and the objects of servers that are deployed or patched, are collected from the components
themselves: only then the SDK is imported.
"""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from dittoinfra.decide.adapter_manifests import adapter_objects, needs_only_these
from dittoinfra.object_model import DeclaredObject, SecretsSeen
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings

if TYPE_CHECKING:
    from dittoinfra.components import ServerArgs


def declared_objects(record: RunRecord, *, patches: bool = False) -> tuple[DeclaredObject, ...]:
    """Every Kubernetes object that `declare` would declare, without an engine; patches where asked for."""
    decision = record.decision
    namespaces = _namespaces(decision.namespaces.declared) if decision.namespaces.declared else ()
    servers = (server_objects(record, server, patches=patches) for server in decision.declared)
    return tuple(chain(namespaces, *servers))


def _namespaces(names: Iterable[str]) -> tuple[DeclaredObject, ...]:
    from dittoinfra import components

    return components.collect_objects("", lambda: components.declare_namespaces(names))


def server_objects(
    record: RunRecord, server: ServerSettings, *, patches: bool = False
) -> tuple[DeclaredObject, ...]:
    """The objects that a run declares for one server."""
    decision, names = record.decision, record.decision.names.of(server.name)
    if needs_only_these(server, names):
        declared = decision.adapters.servers[server.name].adapters
        return adapter_objects(server, declared, names, decision.guarded.waiting)
    from dittoinfra import components

    return components.collect_server(server_args(record, server), patches=patches)


def server_args(record: RunRecord, server: ServerSettings, *, secrets_known: bool = True) -> "ServerArgs":
    """What the component of a server is declared with."""
    from dittoinfra.components import ServerArgs

    decision, memory, name = record.decision, record.memory, server.name
    decided = decision.adapters.servers[name]
    remembered = memory.adapters.get(name, {})
    return ServerArgs(
        settings=server,
        decision=decided,
        kinds=decision.kinds,
        secrets=record.settings.server_secrets.get(name),
        names=decision.names.of(name),
        found=decision.found.get(name),
        replaces=name in decision.replaced,
        patched_ports=memory.patched_ports.get(name),
        live_ports=decision.guarded.live_ports.get(name, frozenset()),
        waiting=decision.guarded.waiting,
        contents=memory.contents,
        restarted=decision.guarded.restarts.get(name),
        secrets_seen=decision.secrets.get(name, SecretsSeen()),
        carried_config=decision.carried.get(name, {}),
        removed=tuple(remembered[gone.type] for gone in decided.removals),
        secrets_known=secrets_known,
    )
