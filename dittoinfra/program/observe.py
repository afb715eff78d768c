"""Polls servers, and reads listings, facts and objects from the cluster. Nothing else in a run does so."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from dittoinfra import naming
from dittoinfra.decide.decision import (
    AdapterDecision,
    beside_held,
    decide_adapters,
    decide_objects,
    locate_names,
)
from dittoinfra.decide.guard import namespaces_to_ask, patched_place, removal_refusals, removals
from dittoinfra.decide.observations import Answers, Observations, Polls
from dittoinfra.decide.refusals import Refusal
from dittoinfra.decide.server_discovery import discover
from dittoinfra.decide.server_rules import decide_server, wants_another_poll
from dittoinfra.dittofs import Polling
from dittoinfra.dittofs.client import Backoff
from dittoinfra.kubernetes.live_objects import ObjectReader
from dittoinfra.model import Listing, Note, Outcome, StackMemory, Uncounted
from dittoinfra.object_model import LiveObjects, ObjectPlace, PlannedObject
from dittoinfra.program.answer_fingerprints import check_given, take_fingerprints
from dittoinfra.program.cluster_tunnels import ClusterTunnels, resolve_all
from dittoinfra.program.in_use_questions import ask_in_use
from dittoinfra.program.provider_cluster import ProviderCluster, ask_facts, list_live_servers, listing_roles
from dittoinfra.program.run_errors import ConfigurationRefused
from dittoinfra.program.secret_contents import read_digests
from dittoinfra.settings import ConfigurationError, ServerSettings, StackSettings, effective_servers
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory

OnInterrupt = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls this when the end of a run is requested, at once where that has happened already."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run needs to reach servers and the cluster."""

    environ: Mapping[str, str] = field(repr=False)
    """The environment for `api.passwordEnv` and for the kubeconfig."""
    on_interrupt: OnInterrupt | None = None
    """An interrupt ends polls at once; without it each would take its whole deadline."""
    backoff: Backoff | None = None
    """When servers that do not answer are asked again; None for a run's own way."""
    counts_absences: bool = True
    """False for a run that follows too soon on one that counted: it decides on everything but absences."""
    silent: frozenset[str] = frozenset()
    """Servers that did not answer lately and that `watch` polls anyway: a run gives each the time of one
    request instead of its deadline."""
    has_cluster: bool = True
    """Whether facts and objects are read from the cluster; manifests for another one need neither."""


def observe(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    context: RunContext,
    cluster: ProviderCluster | None,
    given: Answers | None = None,
) -> Observations:
    """Everything that a run observes: `given` answers of an earlier run, or those of the servers now.

    Live objects are read in any case: an object that an earlier run did not find may exist by now. If the
    answers already refuse the run, nothing further is read but who would be cut off.
    """
    inspected = cluster if context.has_cluster else None
    # It connects in the background, while the run waits for other answers.
    with ObjectReader(inspected, naming.SELECT_ALL) if inspected else nullcontext() as reader:
        if reader is not None:
            # Most of what the state holds will be declared again.
            reader.prefetch(place for place in memory.objects.values() if place is not None)
        if given is None:
            polls, listings, notes = _ask_servers(configuration, settings, memory, context, cluster)
            facts = None
        else:
            check_given(given.given_for, configuration, memory)
            polls, listings, facts, notes = given.polls, given.listings, given.facts, ()
        given_for = take_fingerprints(configuration, memory)
        empty = configuration.source_without_servers(settings)
        adapters = decide_adapters(settings, memory, Answers(given_for, polls, listings, facts), empty)
        if facts is None:
            facts = ask_facts(inspected, adapters.declared, adapters.names)
        answers = Answers(given_for, polls, listings, facts)
        if adapters.refusals or reader is None:
            # Who is cut off is told beside a brake, too: one approval is for both.
            in_use = ask_in_use(configuration, settings, memory, adapters, {}, None, context.environ, cluster)
            return Observations(answers, facts, notes=notes, in_use=in_use)
        names = locate_names(adapters, memory, polls, facts)
        _, _, planned = decide_objects(settings, memory, adapters, facts, names)
        objects = _read_objects(reader, beside_held(memory, adapters.discovery), adapters, planned)
        secrets, unread = read_digests(inspected, adapters.declared, settings.server_secrets)
        in_use = ask_in_use(
            configuration, settings, memory, adapters, secrets, objects, context.environ, cluster
        )
        return Observations(answers, facts, objects, reader.unread, (*notes, *unread), secrets, in_use)


def check_removal(
    configuration: Configuration, memory: Memory, environ: Mapping[str, str]
) -> tuple[Refusal, ...]:
    """Why everything that the state holds must not be deleted; empty where it may."""
    cluster, removed = ProviderCluster.of(configuration, environ), removals((), memory)
    if cluster is None or not removed:
        return ()
    with ObjectReader(cluster, naming.SELECT_ALL) as reader:
        seen = reader.read(removed.values())
        return removal_refusals(removed, memory, seen, reader.unread)


def poll_servers(configuration: Configuration, settings: StackSettings, context: RunContext) -> Polls:
    """The answers of the servers that the settings name, asked once and for nothing else."""
    cluster = ProviderCluster.of(configuration, context.environ)
    polls, _, _ = _ask_servers(configuration, settings, Memory(), context, cluster)
    return polls


def _ask_servers(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    context: RunContext,
    cluster: ProviderCluster | None,
) -> tuple[Polls, tuple[Listing, ...], tuple[Note, ...]]:
    """List the servers in the cluster, and poll these and the configured ones."""
    listings = list_live_servers(settings, cluster)
    discovery = discover(settings, memory, listings)
    if discovery.counted and not context.counts_absences:
        listings = tuple(replace(listing, counts=False) for listing in listings)
        discovery = discover(settings, memory, listings)
    servers = effective_servers(settings, discovery.polled)
    tunnels = ClusterTunnels(cluster) if cluster else None
    try:
        access = resolve_all(servers, configuration, settings, context.environ, tunnels)
    except ConfigurationError as error:
        raise ConfigurationRefused(error.problems) from None
    access = {name: this.hurried() if name in context.silent else this for name, this in access.items()}
    with Polling(access, settings.max_concurrent_polls, context.backoff) as polling:
        interruptible = context.on_interrupt(polling.close) if context.on_interrupt else nullcontext()
        with interruptible:
            polls = (
                _poll(polling, servers, memory.adapters)
                if context.counts_absences
                else {name: Uncounted(outcome) for name, outcome in polling.first().items()}
            )
    refused = tunnels.notes() if tunnels is not None else ()
    return polls, listings, (*discovery.notes, *listing_roles(discovery.lacks), *refused)


def _poll(polling: Polling, servers: Sequence[ServerSettings], memory: StackMemory) -> Polls:
    """Every server's answer, and further ones where an adapter is absent and the settings allow them."""
    polls: dict[str, tuple[Outcome, ...]] = {name: (outcome,) for name, outcome in polling.first().items()}

    def undecided(server: ServerSettings) -> bool:
        so_far = polls[server.name]
        return len(so_far) < server.polls_per_run and wants_another_poll(
            server, decide_server(server, memory.get(server.name, {}), so_far)
        )

    while again := {s.name: s.poll_interval.total_seconds() for s in servers if undecided(s)}:
        for name, outcome in polling.again(again).items():
            polls[name] += (outcome,)
    return polls


def _read_objects(
    reader: ObjectReader, memory: Memory, adapters: AdapterDecision, planned: Sequence[PlannedObject]
) -> LiveObjects:
    """The live ones of the objects that the run would declare or delete, and of what decides on creations."""
    patched: list[ObjectPlace] = [patched_place(s) for s in adapters.declared if s.patch_ports]
    removed = removals(planned, memory).values()
    live = reader.read((*(this.place for this in planned), *patched, *removed))
    return {**live, **reader.read(namespaces_to_ask(planned, memory, live))}
