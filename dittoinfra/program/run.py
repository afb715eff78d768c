"""One run, as data flows: settings, polls, memory, decision, declaration, report."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pulumi

from dittoinfra.decide import (
    decide_server,
    decide_stack,
    decision_text,
    refusals,
    replacements,
    stale_approvals,
    wants_another_poll,
)
from dittoinfra.dittofs import Polling
from dittoinfra.memory import Memory, MemoryUnreadableError, read_memory
from dittoinfra.model import DeclaredObject, Note, Outcome, StackMemory
from dittoinfra.program.access import resolve_all
from dittoinfra.program.adoption import adopt_existing
from dittoinfra.program.configuration import read_settings
from dittoinfra.program.errors import ConfigurationRefused, RunRefused, RunStopped
from dittoinfra.program.outputs import server_outputs
from dittoinfra.program.surroundings import look_around
from dittoinfra.settings import ConfigurationError, ServerSettings, effective_servers

if TYPE_CHECKING:  # importing it costs half a second, which polls are using
    from dittoinfra.declare import Server


def run(root: Path, environ: Mapping[str, str] = os.environ) -> None:
    """The whole program. Relative paths in the configuration start at `root`."""
    try:
        stack = read_settings()
        servers = effective_servers(stack)
        access = resolve_all(servers, stack.passwords, environ, root)
    except ConfigurationError as error:
        raise ConfigurationRefused(error.problems) from None
    with Polling.start(access, stack.max_concurrent_polls) as polling:
        # The provider's modules take longer to load than most servers to answer: the polls are on their way.
        from dittoinfra import declare

        memory = _remember()
        decision = decide_stack(servers, memory.adapters, _ask(polling, servers, memory.adapters))
    refused = (
        *refusals(decision, servers, stack.approve_removals),
        *replacements(servers, memory.workloads),
    )
    if refused:
        raise RunRefused(refused)
    around = look_around(servers, memory.objects, environ)

    def declare_server(server: ServerSettings, opts: pulumi.ResourceOptions | None = None) -> "Server":
        secrets = stack.server_secrets.get(server.name)
        args = declare.ServerArgs(server, decision.servers[server.name], around.kinds, secrets)
        return declare.Server(server.name, args, opts)

    def rehearse(server: ServerSettings) -> Sequence[DeclaredObject]:
        return declare.rehearse(server.name, lambda: declare_server(server))

    adopted = adopt_existing(servers, decision, rehearse, memory.objects, environ)
    _report(
        (
            *decision.notes,
            *around.kinds.notes,
            *around.namespaces.notes,
            *adopted,
            *stale_approvals(decision, stack.approve_removals),
        )
    )
    pulumi.log.debug(decision_text(decision, servers))
    namespaces = declare.declare_namespaces(around.namespaces.declared)
    declared = {s.name: declare_server(s, declare.inside(namespaces.get(s.namespace))) for s in servers}
    pulumi.export(
        "servers", {s.name: server_outputs(s, decision.servers[s.name], declared[s.name]) for s in servers}
    )


def _remember() -> Memory:
    try:
        return read_memory()
    except MemoryUnreadableError as error:
        raise RunStopped([error]) from None


def _ask(
    polling: Polling, servers: Sequence[ServerSettings], memory: StackMemory
) -> Mapping[str, Sequence[Outcome]]:
    """Every server's answer, and further ones where an adapter is absent and the settings allow them."""
    polls = {name: [outcome] for name, outcome in polling.first().items()}

    def undecided(server: ServerSettings) -> bool:
        heard = polls[server.name]
        return len(heard) < server.polls_per_run and wants_another_poll(
            server, decide_server(server, memory.get(server.name, {}), heard)
        )

    while again := {s.name: s.poll_interval.total_seconds() for s in servers if undecided(s)}:
        for name, outcome in polling.again(again).items():
            polls[name].append(outcome)
    return polls


def _report(notes: Sequence[Note]) -> None:
    for note in notes:
        say = pulumi.log.warn if note.warning else pulumi.log.info
        say(f"{note.server}: {note.text}")
