"""One run, as data flows: settings, polls, memory, decision, declaration, report."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pulumi

from dittoinfra.decide import (
    Discovery,
    Refusal,
    decide_names,
    decide_stack,
    decision_text,
    discover,
    locate,
    name_notes,
    refusals,
    replacements,
    stale_approvals,
    standing,
    unlocated_namespaces,
)
from dittoinfra.decide.kinds import custom_objects, decide_kinds
from dittoinfra.decide.namespaces import decide_namespaces
from dittoinfra.loading import DECLARATIONS, DEPLOYMENTS, load
from dittoinfra.memory import Memory, MemoryUnreadableError, read_memory
from dittoinfra.model import DeclaredObject, FoundServer, Listing, Note, StackDecision
from dittoinfra.program.adoption import adopt_existing
from dittoinfra.program.configuration import read_settings
from dittoinfra.program.discovery import listing_roles
from dittoinfra.program.errors import ConfigurationRefused, RunRefused, RunStopped
from dittoinfra.program.inquiry import Answers, Inquiry, LiveInquiry, Polls
from dittoinfra.program.outputs import server_outputs
from dittoinfra.settings import (
    ConfigurationError,
    ServerSettings,
    StackSettings,
    check_found,
    effective_servers,
)
from dittoinfra.settings.layers import effective, found_layers

if TYPE_CHECKING:  # importing it costs half a second, which polls are using
    from dittoinfra.declare import Server


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run heard and decided."""

    answers: Answers
    decision: StackDecision
    servers: tuple[ServerSettings, ...]
    """The servers that were decided on, every layer of settings in them."""
    memory: Memory
    """What the stack held before."""
    found: tuple[FoundServer, ...] = ()
    """Servers beside the configured ones."""
    refused: tuple[Refusal, ...] = ()
    """Why the run went no further than this."""

    @property
    def state(self) -> Mapping[str, str]:
        """Fingerprints of what the stack held before, by URN."""
        return self.memory.fingerprints


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """Everything that a run would declare, and what it would say."""

    objects: tuple[DeclaredObject, ...]
    patched: tuple[str, ...]
    """Servers whose workload is somebody else's, and would get ports added."""
    notes: tuple[Note, ...]


def run(
    root: Path,
    environ: Mapping[str, str] = os.environ,
    inquiry: Inquiry | None = None,
    on_decided: Callable[[RunRecord], None] = lambda _: None,
    on_rehearsed: Callable[[Rehearsed], None] | None = None,
    recall: Callable[[Memory], Memory] = lambda memory: memory,
) -> None:
    """The whole program. Relative paths in the configuration start at `root`.

    `inquiry` is whom the run asks: the world itself, unless told otherwise. `on_decided` hears the decision
    before anything is declared, a refused one too, and may stop the run by raising. `on_rehearsed` hears what
    would be declared, and then the run stops: the engine hears of none of it. `recall` may know better
    than the state what was declared last, where it is not the engine that declares.
    """
    inquiry = inquiry or LiveInquiry(root, environ)
    with ExitStack() as polling:
        try:
            stack = read_settings()
            known = effective_servers(stack, ())
            # Whom the stack names is asked while the state is read; who is found hangs on what that says.
            if not stack.servers_from:
                asking = polling.enter_context(inquiry.ask(stack, known, ()))
            memory = recall(_remember())
            listings = inquiry.list_servers(stack)
            discovery = _discover(stack, listings, memory)
            found = {server.name: server for server in discovery.servers}
            if stack.servers_from or found:
                polling.close()
                known = effective_servers(stack, discovery.servers)
                these = [server for server in known if server.name not in discovery.missing]
                asking = polling.enter_context(inquiry.ask(stack, these, found))
        except ConfigurationError as error:
            raise ConfigurationRefused(error.problems) from None
        # The provider's modules take longer to load than most servers to answer: the polls are on their way.
        load(DECLARATIONS)
        if any(server.deploy is not None or server.patch_ports for server in known):
            load(DEPLOYMENTS)
        from dittoinfra import declare

        asked = asking.answers(memory.adapters)
    # Said even where the run then stops: it may stop because of that.
    _report((*discovery.notes, *listing_roles(discovery.lacks), *asking.notes()))
    polls: Polls = {**asked, **{name: (outcome,) for name, outcome in discovery.missing.items()}}
    decision = decide_stack(known, memory.adapters, polls)
    servers = standing(known, decision)
    names = decide_names(decision, servers)
    refused = (
        *refusals(decision, known, stack.approve_removals),
        *names.refusals,
        *replacements(servers, memory.workloads),
    )
    around = inquiry.look_around(servers, unlocated_namespaces(names))
    answers = Answers(asked, around, listings)
    on_decided(RunRecord(answers, decision, known, memory, discovery.servers, refused))
    if refused:
        raise RunRefused(refused)
    names = locate(names, around.addresses, memory.names)
    wanted = [this for server in servers for this in custom_objects(server)]
    kinds = decide_kinds(wanted, around.kinds, memory.objects)
    namespaces = decide_namespaces(servers, around.namespaces, memory.objects)

    def declare_server(server: ServerSettings, opts: pulumi.ResourceOptions | None = None) -> "Server":
        secrets = stack.server_secrets.get(server.name)
        args = declare.ServerArgs(
            server,
            decision.servers[server.name],
            kinds,
            secrets,
            names.of(server.name),
            found.get(server.name),
        )
        return declare.Server(server.name, args, opts)

    def rehearse(server: ServerSettings) -> Sequence[DeclaredObject]:
        return declare.rehearse(server.name, lambda: declare_server(server))

    if on_rehearsed is not None:
        around_them = declare.rehearse("", lambda: declare.declare_namespaces(namespaces.declared))
        objects = (*around_them, *(this for server in servers for this in rehearse(server)))
        notes = (*decision.notes, *kinds.notes, *namespaces.notes, *name_notes(names, memory.names))
        patched = tuple(server.name for server in servers if server.patch_ports)
        on_rehearsed(Rehearsed(objects, patched, notes))
        raise RunStopped(["this was a rehearsal: nothing is declared"])
    adopted = adopt_existing(servers, decision, rehearse, memory.objects, environ)
    _report(
        (
            *decision.notes,
            *kinds.notes,
            *namespaces.notes,
            *adopted,
            *name_notes(names, memory.names),
            *stale_approvals(decision, stack.approve_removals),
        )
    )
    pulumi.log.debug(decision_text(decision, known))
    made = declare.declare_namespaces(namespaces.declared)
    declared = {s.name: declare_server(s, declare.inside(made.get(s.namespace))) for s in servers}
    pulumi.export(
        "servers", {s.name: server_outputs(s, decision.servers[s.name], declared[s.name]) for s in servers}
    )


def _remember() -> Memory:
    try:
        return read_memory()
    except MemoryUnreadableError as error:
        raise RunStopped([error]) from None


def _discover(stack: StackSettings, listings: Sequence[Listing], memory: Memory) -> Discovery:
    configured = {server.name for server in stack.servers}
    discovery = discover(
        configured,
        listings,
        memory.servers,
        memory.adapters,
        lambda server: effective(found_layers(stack, server)).absence_polls,
    )
    if discovery.twice:
        raise RunRefused(discovery.twice)
    problems = tuple(check_found(stack, discovery.servers))
    if problems:
        raise ConfigurationError(problems)
    return discovery


def _report(notes: Sequence[Note]) -> None:
    for note in notes:
        say = pulumi.log.warn if note.warning else pulumi.log.info
        say(f"{note.server}: {note.text}")
