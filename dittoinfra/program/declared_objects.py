"""The Kubernetes objects that a decision declares, as values."""

from dittoinfra.decide.server_objects import ServerArgs, namespace_object
from dittoinfra.decide.server_objects import server_objects as objects_of
from dittoinfra.object_model import DeclaredObject, SecretsSeen
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings


def declared_objects(record: RunRecord, *, patches: bool = False) -> tuple[DeclaredObject, ...]:
    """Every Kubernetes object that `declare` declares; patches where asked for."""
    decision = record.decision
    namespaces = map(namespace_object, decision.namespaces.declared)
    servers = (server_objects(record, server, patches=patches) for server in decision.declared)
    return (*namespaces, *(this for objects in servers for this in objects))


def server_objects(
    record: RunRecord, server: ServerSettings, *, patches: bool = False
) -> tuple[DeclaredObject, ...]:
    """The objects of one server, those that a Pod reads before its StatefulSet.

    Patches change objects of other managers, and are left out unless they are asked for.
    """
    objects = (this for this in objects_of(server_args(record, server)) if patches or not this.patches)
    return tuple(sorted(objects, key=lambda this: (this.kind == "StatefulSet", this.kind, this.name)))


def server_args(record: RunRecord, server: ServerSettings, *, secrets_known: bool = True) -> ServerArgs:
    """What a server is declared with."""
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
        unapplied=decision.guarded.unapplied,
        contents=memory.contents,
        restarted=decision.guarded.restarts.get(name),
        secrets_seen=decision.secrets.get(name, SecretsSeen()),
        carried_config=decision.carried.get(name, {}),
        removed=tuple(remembered[gone.type] for gone in decided.removals),
        secrets_known=secrets_known,
    )
