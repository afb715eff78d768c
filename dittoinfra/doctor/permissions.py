"""What a stack needs to be allowed in its cluster, from what it would really declare."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from dittoinfra.declare import Server, ServerArgs, rehearse
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.settings import ServerSettings, StackSettings, effective_servers

_ADAPTER = DeclaredAdapter("nfs", 12049, State.SERVING)
"""Any adapter: all of them are made of the same kinds."""

_LIFE = ("get", "create", "patch", "delete")
"""What an object's life takes: to apply on the server's side is to patch, and that may create."""

# Importing the provider's modules from several threads at once breaks them.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True, order=True)
class Need:
    """Something that a run does to objects of one kind in one namespace."""

    namespace: str
    api_version: str
    kind: str
    verb: str


def needs(stack: StackSettings) -> tuple[Need, ...]:
    """Everything that a run of this stack may have to do, whatever its servers answer."""
    found = {need for server in effective_servers(stack) for need in _of(server, stack)}
    return tuple(sorted(found))


def _of(server: ServerSettings, stack: StackSettings) -> Iterator[Need]:
    decision = ServerDecision(server.name, Answered(()), bootstrap=False, adapters=(_ADAPTER,))
    args = ServerArgs(server, decision, secrets=stack.server_secrets.get(server.name))
    with _one_at_a_time:
        declared = rehearse(server.name, lambda: Server(server.name, args))
    for this in declared:
        for verb in _LIFE:
            yield Need(this.namespace, this.api_version, this.kind, verb)
        # Adopting looks for what else is there of the server; Secrets are only ever asked for by name.
        if server.adopt and this.kind != "Secret":
            yield Need(this.namespace, this.api_version, this.kind, "list")
    if server.patch_ports:
        for verb in ("get", "patch"):
            yield Need(server.namespace, "apps/v1", "StatefulSet", verb)
