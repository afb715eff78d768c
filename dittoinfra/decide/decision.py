"""The whole decision of a run, from settings, memory and observations. Pure."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.brake import refusals
from dittoinfra.decide.carried_config import carry_config
from dittoinfra.decide.custom_kinds import KindDecision, custom_objects, decide_kinds
from dittoinfra.decide.deployment_notes import deployment_notes
from dittoinfra.decide.first_run import first_run_refusals
from dittoinfra.decide.guard import Guarded, guard
from dittoinfra.decide.image_changes import decide_images
from dittoinfra.decide.immutable_fields import replaced, replacements
from dittoinfra.decide.in_use import decide_in_use
from dittoinfra.decide.lost_workloads import LostWorkload, lost_workloads, workload_refusals
from dittoinfra.decide.names import (
    NameDecision,
    decide_names,
    host_mappings,
    locate,
    name_notes,
    with_evidence,
)
from dittoinfra.decide.observations import Answers, ClusterFacts, Observations, Polls
from dittoinfra.decide.planned_objects import (
    NamespaceDecision,
    decide_namespaces,
    planned_namespaces,
    planned_objects,
)
from dittoinfra.decide.pod_restarts import restarts
from dittoinfra.decide.refusals import NotHeld, Refusal
from dittoinfra.decide.secret_restarts import KeyOfSecret, secrets_now
from dittoinfra.decide.server_discovery import Discovery, discover
from dittoinfra.decide.set_aside import SetAside, set_aside
from dittoinfra.decide.stack_rules import decide_stack, servers_to_declare
from dittoinfra.decide.unserved_types import unserved_types
from dittoinfra.model import (
    AlreadyPolled,
    ConfigurationSource,
    FoundServer,
    Missing,
    NameMemory,
    Nonsense,
    Note,
    Reason,
    StackDecision,
    Uncounted,
)
from dittoinfra.object_model import LiveObjects, ObjectPlace, PlannedObject, SecretsSeen
from dittoinfra.settings import ServerSettings, StackSettings, effective_servers
from dittoinfra.settings.layers import effective, found_layers
from dittoinfra.state import HeldStack, Memory

_NOTHING = SetAside()
_UNASKED = "the cluster was not asked about it, because another server was to have its name"


@dataclass(frozen=True, slots=True)
class AdapterDecision:
    """The decision from the servers' answers, before anything is known of the cluster."""

    discovery: Discovery
    known: tuple[ServerSettings, ...]
    """Every server of the configuration and of the cluster, with all layers of settings merged."""
    stack: StackDecision
    declared: tuple[ServerSettings, ...]
    """The servers that something is declared for."""
    names: NameDecision
    lost: tuple[LostWorkload, ...]
    """The deployed servers whose workload goes."""
    approvals: Approvals
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole decision of a run: what is declared, what is removed and why, refusals and notes."""

    adapters: StackDecision
    known: tuple[ServerSettings, ...] = ()
    """Every server that was decided on, with all layers of settings merged."""
    declared: tuple[ServerSettings, ...] = ()
    """The known servers that something is declared for."""
    held: HeldStack = field(default_factory=HeldStack)
    """What the state holds of found servers that nothing can be decided on: it is declared as it is."""
    found: Mapping[str, FoundServer] = field(default_factory=dict)
    """The known servers that the configuration does not name."""
    names: NameDecision = field(default_factory=NameDecision)
    kinds: KindDecision = field(default_factory=KindDecision)
    namespaces: NamespaceDecision = field(default_factory=NamespaceDecision)
    guarded: Guarded = field(default_factory=Guarded)
    aside: SetAside = field(default_factory=SetAside)
    """What is left out because of objects that are not the stack's."""
    secrets: Mapping[str, SecretsSeen] = field(default_factory=dict)
    """What is to be remembered of the Secrets that each deployed server reads, by server."""
    carried: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is carried over into the configuration of adopted servers, by server."""
    replaced: frozenset[str] = frozenset()
    """Servers whose StatefulSet this run replaces."""
    restarts: Mapping[str, str] = field(default_factory=dict)
    """Servers that this run restarts, each with what changes; empty where no setting depends on it."""
    refusals: tuple[Refusal, ...] = ()
    """Why the run stops here."""
    notes: tuple[Note, ...] = ()
    cut_off: tuple[Note, ...] = ()
    """Those of the notes that say who is cut off: a run that stops says them as well, for its approval."""


def decide_adapters(
    settings: StackSettings,
    memory: Memory,
    answers: Answers,
    empty: ConfigurationSource | None = None,
    aside: SetAside = _NOTHING,
) -> AdapterDecision:
    """Decide on every adapter but those set `aside`; `empty` is a configuration that names no servers."""
    discovery = discover(settings, memory, answers.listings).holding(aside.held)
    held = [this for this in discovery.servers if this.name in discovery.held]
    known = (
        *effective_servers(settings, discovery.followed),
        *(_without_settings(settings, this) for this in held),
    )
    listed: Mapping[str, Missing | Nonsense] = {**discovery.missing, **discovery.held}
    polls = {**aside.without(answers.polls), **{name: (outcome,) for name, outcome in listed.items()}}
    stack = decide_stack(
        known,
        memory.adapters,
        polls,
        memory.replacing,
        discovery.held,
        _leaving(settings, memory, known, discovery),
        known_before=memory.servers.keys(),
        found={this.name for this in discovery.servers},
    )
    declared = tuple(s for s in servers_to_declare(known, stack) if s.name not in discovery.held)
    names = decide_names(stack, declared)
    lost = lost_workloads(declared, memory)
    workloads = {this.server: this.approval for this in lost}
    approvals = Approvals.of(settings.approve_removals, stack.removals, workloads)
    refused = (
        *refusals(stack, known, settings, empty, approvals),
        *(
            NotHeld(name, why)
            for name, why in discovery.held.items()
            if memory.held is None and (name in memory.servers or name in memory.adapters)
        ),
        *first_run_refusals(stack, known, memory, empty),
        *names.refusals,
        *replacements(declared, memory.workloads),
        *workload_refusals(lost, approvals),
    )
    return AdapterDecision(discovery, known, stack, declared, names, lost, approvals, refused)


def _leaving(
    settings: StackSettings, memory: Memory, known: Sequence[ServerSettings], discovery: Discovery
) -> Mapping[str, Reason]:
    """Why the adapters of servers go that are not configured any more, by server.

    The state does not tell which API a server had. So where one server comes as another one goes, both may be
    the same server under another name, and then clients lose the addresses of what still serves.
    """
    declared = {server.name for server in known if server.name not in discovery.held}
    if declared - memory.servers.keys() - memory.adapters.keys():
        reason = Reason.RENAMED
    else:
        reason = Reason.WITHHELD if settings.removal == "never" else Reason.UNCONFIGURED
    gone = memory.adapters.keys() - {server.name for server in known}
    return {name: Reason.MOVED if name in discovery.elsewhere else reason for name in gone}


def _without_settings(settings: StackSettings, server: FoundServer) -> ServerSettings:
    """A held server: nothing is declared from its settings, and only its absences are shown with them."""
    polls = effective(found_layers(settings, server)).absence_polls
    known = {"name": server.name, "namespace": server.namespace, "absencePolls": polls}
    return ServerSettings.model_validate(known)


def _held(memory: Memory, discovery: Discovery) -> HeldStack:
    return memory.held.only(discovery.held) if memory.held is not None else HeldStack()


def beside_held(memory: Memory, discovery: Discovery) -> Memory:
    """The memory without the objects of held servers: a run does not plan them, and does not delete them."""
    held = {this for _, this in _held(memory, discovery).objects}
    objects = {this: place for this, place in memory.objects.items() if this not in held}
    return replace(memory, objects=objects) if held else memory


def _names_without(memory: NameMemory, servers: Container[str]) -> NameMemory:
    told = {name: this for name, this in memory.told.items() if name.partition("/")[0] not in servers}
    return replace(memory, told=told)


def locate_names(
    adapters: AdapterDecision, memory: Memory, polls: Polls, facts: ClusterFacts
) -> NameDecision:
    """The names of the run, with what is known of them and what is asked for."""
    counted = {name for name, outcome in polls.items() if isinstance(outcome, AlreadyPolled | Uncounted)}
    return locate(adapters.names, facts.services, memory.names, counted)


def decide_objects(
    settings: StackSettings,
    memory: Memory,
    adapters: AdapterDecision,
    facts: ClusterFacts,
    names: NameDecision,
) -> tuple[KindDecision, NamespaceDecision, tuple[PlannedObject, ...]]:
    """Which kinds and namespaces are declared, and every object that the run would declare."""
    mappings = [*host_mappings(names)]
    wanted = [this for server in adapters.declared for this in custom_objects(server)]
    kinds = decide_kinds((*wanted, *mappings), facts.kinds, memory.objects)
    namespaces = decide_namespaces(adapters.declared, facts.namespaces, memory.objects)
    planned = (
        *planned_namespaces(namespaces.declared, adapters.declared),
        *(
            this
            for server in adapters.declared
            for this in planned_objects(
                server,
                adapters.stack.servers[server.name],
                kinds,
                settings.server_secrets.get(server.name),
                [mapping for mapping in mappings if mapping.server == server.name],
            )
        ),
    )
    return kinds, namespaces, planned


def decide_restarts(
    settings: StackSettings,
    memory: Memory,
    adapters: AdapterDecision,
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
    objects: LiveObjects | None,
) -> Mapping[str, str]:
    """The servers that the run restarts, each with what changes; `digests` are of Secrets that were read.

    Empty where no setting depends on it: to compare the configuration of many servers takes its time.
    """
    if not (settings.report_in_use or settings.protect_in_use or settings.drain_uploads):
        return {}
    servers, made = adapters.stack.servers, settings.server_secrets
    return restarts(adapters.declared, servers, memory, made, digests, objects)


def decide(
    settings: StackSettings,
    memory: Memory,
    observations: Observations,
    empty: ConfigurationSource | None = None,
) -> Decision:
    """The whole decision; `empty` is the configuration where it names no servers.

    Where objects of other managers are in the way of some, it is the decision on the others.
    """
    decision, asked = _decide(settings, memory, observations, empty)
    # What is set aside may leave its name to another server.
    while more := set_aside(decision.adapters.servers, decision.found, decision.guarded, memory):
        aside = decision.aside.joined(more)
        decision, _ = _decide(settings, memory, observations, empty, aside, asked)
    return decision


def _decide(
    settings: StackSettings,
    memory: Memory,
    observations: Observations,
    empty: ConfigurationSource | None,
    aside: SetAside = _NOTHING,
    asked: frozenset[ObjectPlace] | None = None,
) -> tuple[Decision, frozenset[ObjectPlace]]:
    """The decision without what is set aside, and the places of all that it plans.

    `asked` are the places that the cluster was asked about, where that need not be all of them.
    """
    adapters = decide_adapters(settings, memory, observations.answers, empty, aside)
    discovery, declared = adapters.discovery, adapters.declared
    objects = observations.objects
    located = locate_names(adapters, memory, observations.answers.polls, observations.facts)
    kinds, namespaces, planned = decide_objects(settings, memory, adapters, observations.facts, located)
    places = frozenset(this.place for this in planned)
    unasked = places - asked if asked is not None else ()
    unseen = {**observations.unseen, **dict.fromkeys(unasked, _UNASKED)}
    names = with_evidence(located, kinds, objects or {}, memory.names)
    guarded = (
        Guarded(restarts=memory.restarts)
        if objects is None
        else guard(declared, planned, beside_held(memory, discovery), objects, unseen)
    )
    images = decide_images(declared, memory, objects)
    carried = carry_config(declared, memory, guarded, objects)
    restarted = decide_restarts(settings, memory, adapters, observations.secrets, objects)
    in_use = decide_in_use(
        settings, memory.adapters, adapters.stack.removals, restarted, adapters.approvals, observations.in_use
    )
    decision = Decision(
        adapters=adapters.stack,
        known=adapters.known,
        declared=declared,
        held=_held(memory, discovery),
        found={server.name: server for server in discovery.servers},
        names=names,
        kinds=kinds,
        namespaces=namespaces,
        guarded=guarded,
        secrets={
            server.name: secrets_now(
                memory.secrets.get(server.name, SecretsSeen()), observations.secrets.get(server.name, {})
            )
            for server in declared
            if server.deploy is not None
        },
        carried=carried.blocks,
        replaced=replaced(declared, memory.workloads),
        restarts=restarted,
        refusals=(
            *(adapters.refusals or (*images.refusals, *guarded.refusals, *carried.refusals)),
            *in_use.refusals,
        ),
        notes=(
            *adapters.stack.notes,
            *kinds.notes,
            *namespaces.notes,
            *guarded.notes,
            *aside.notes,
            *images.notes,
            *carried.notes,
            *in_use.notes,
            *deployment_notes(declared, adapters.stack.servers),
            *name_notes(names, _names_without(memory.names, discovery.held)),
            *(this.note for this in adapters.lost),
            *adapters.approvals.stale,
            *unserved_types(adapters.known, adapters.stack.servers, memory.adapters),
        ),
        cut_off=in_use.notes,
        aside=aside,
    )
    return decision, places
