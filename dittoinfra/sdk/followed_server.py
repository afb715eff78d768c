"""A server whose adapters are followed, wherever it is declared.

It is the component that this project's own program declares for each of its servers, with a decision of its
own in front: the state is read once, the server is asked in a thread beside the program, and what the rules
come to is declared.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pulumi

from dittoinfra.components import declare_held_server
from dittoinfra.decide.explanation import held_server
from dittoinfra.decide.observations import Answers
from dittoinfra.decide.refusals import NamespaceMissing
from dittoinfra.model import Note, Unreachable
from dittoinfra.program.answer_fingerprints import take_fingerprints
from dittoinfra.program.declare import Server, server_outputs
from dittoinfra.program.engine_run import prepare, reason_to_hold
from dittoinfra.program.observe import RunContext
from dittoinfra.program.run_errors import ConfigurationRefused, RunRefused, RunStopped
from dittoinfra.program.survey import RunRecord, survey
from dittoinfra.sdk.cluster_provider import ClusterProvider, cluster_provider
from dittoinfra.sdk.input_settings import InputSettings, input_settings, server_name
from dittoinfra.sdk.output_types import Adapter, Condition
from dittoinfra.sdk.program_components import in_thread
from dittoinfra.sdk.refusing_component import RefusingComponent
from dittoinfra.sdk.resolved_inputs import Resolved, registered, resolve
from dittoinfra.sdk_internals import former_urns
from dittoinfra.settings import (
    ByPortForward,
    ConfigurationError,
    Problem,
    ServerSettings,
    SettingPath,
    effective_servers,
)
from dittoinfra.settings.configuration import Configuration
from dittoinfra.settings.server import api_endpoint
from dittoinfra.state import (
    Memory,
    OwnPast,
    component_notes,
    held_by_another,
    held_elsewhere,
    own_past,
    remember,
)
from dittoinfra.urns import DEPLOYED_SERVER_TYPE, object_and_component


@dataclass(frozen=True, slots=True)
class _Question:
    """Everything that a decision is made from."""

    configuration: Configuration
    inputs: InputSettings
    memory: Memory
    provider: ClusterProvider
    namespace_follows: bool
    """Whether the program creates the namespace, and a preview may not find it."""


class FollowedServer(RefusingComponent, Server):
    """A DittoFS server and the Services of its adapters."""

    server_name: pulumi.Output[str]
    """Name of the server."""
    namespace: pulumi.Output[str]
    """Its Kubernetes namespace."""
    adapters: pulumi.Output[dict[str, Adapter]]
    """Its adapters that have a Service, by type."""
    conditions: pulumi.Output[list[Condition]]
    """Whether its API answers, whether every adapter is served, and whether clients can connect."""

    def __init__(
        self, kind: str, name: str, args: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> None:
        given = opts or pulumi.ResourceOptions()
        self._begin(kind, name)
        # Read before the component is registered: what it sees is the last state, whatever this run makes.
        self._resources = self._program.resources
        self._kind = kind
        self._after: list[pulumi.Resource] = []
        self._past = OwnPast()
        opts = pulumi.ResourceOptions.merge(
            given, pulumi.ResourceOptions(transformations=[self._with_options])
        )
        super().__init__(kind, name, None, opts)
        former = former_urns(name, kind, given)
        outputs = self._outputs(self._follow(name, dict(args), given, former))
        self.server_name = outputs.apply(lambda known: known["serverName"])
        self.namespace = outputs.apply(lambda known: known["namespace"])
        self.adapters = outputs.apply(lambda known: known["adapters"])
        self.conditions = outputs.apply(lambda known: known["conditions"])

    async def _follow(
        self,
        name: str,
        args: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
        former: "list[pulumi.Input[str]]",
    ) -> Any:  # noqa: ANN401 - the outputs, or the SDK's mark for unknown ones
        """Wait for the inputs, ask, decide and declare; the component's outputs."""
        first = await registered(opts, self)
        inputs = await resolve(args)
        self._after += sorted(first | inputs.resources, key=lambda this: id(this))
        known = [str(await pulumi.Output.from_input(urn).future()) for urn in (self.urn, *former)]
        # The SDK names the stack as a parent in some aliases; the engine does so in no URN.
        urns = [urn.replace("::pulumi:pulumi:Stack$", "::") for urn in known]
        try:
            return await self._declare(name, inputs, urns, bool(first))
        except (RunStopped, ConfigurationError) as stopped:
            return await self._refuse(stopped)

    async def _declare(self, name: str, inputs: Resolved, urns: list[str], follows: bool) -> Any:  # noqa: ANN401
        resources = self._resources
        provider = await cluster_provider(self, resources)
        namespace = inputs.values.get("namespace", ServerSettings.model_fields["namespace"].default)
        place = provider.place(namespace) if isinstance(namespace, str) else None
        self._past = past = own_past(resources, urns, server_name(inputs, "") or None, place)
        default = past.server or name
        deployed = self._kind == DEPLOYED_SERVER_TYPE
        wanted = input_settings(inputs, default, self._words, deployed=deployed)
        memory = remember(past.resources, provider.settings, provider.kubeconfigs)
        if wanted is None:
            self._name_objects(name, default)
            return self._wait(past, memory, inputs)
        [server] = effective_servers(wanted.settings)
        self._name_objects(name, server.name)
        elsewhere = held_elsewhere(resources, urns, server.name)
        memory = replace(memory, of_component=True, elsewhere=elsewhere)
        self._check(urns[0], server, provider, memory)
        configuration = Configuration(
            project=pulumi.get_project(),
            stack=pulumi.get_stack(),
            root=Path.cwd(),
            values=provider.values,
            encrypted=frozenset(),
            input_words=self._words,
        )
        follows = follows or "namespace" in inputs.created_first
        question = _Question(configuration, wanted, memory, provider, follows)
        try:
            record, notes = await in_thread(_decide, question)
        except RunRefused as refused:
            why = reason_to_hold(refused, wanted.settings, memory, self._words)
            if why is None or refused.record is None:
                raise
            return self._hold(past, refused.record, server, why)
        for note in (*record.notes, *notes):
            self._say(note)
        [server] = record.decision.declared
        component = component_notes(server.name, provider.name)
        objects = self.declare(record, server, component, secrets_known=wanted.secrets_known)
        return {"serverName": server.name, **server_outputs(record, server, objects)}

    def _hold(self, past: OwnPast, record: RunRecord, server: ServerSettings, why: str) -> Mapping[str, Any]:
        """Declare what the state holds, because what was decided is refused; the component's outputs."""
        pulumi.log.warn(why, self)
        self._declare_held(past, record.memory)
        decision = record.decision.adapters.servers[server.name]
        return held_server(past.server or server.name, server, decision, record.memory, why)

    def _wait(self, past: OwnPast, memory: Memory, inputs: Resolved) -> Any:  # noqa: ANN401
        """Declare what the state holds: a setting is not known yet, and nothing can be decided without it."""
        unknown = ", ".join(sorted(self._words.name(SettingPath((name,))) for name in inputs.unknown))
        pulumi.log.info(f"not known before the update: {unknown}; until then all stays as it is", self)
        self._declare_held(past, memory)
        return pulumi.UNKNOWN

    def _declare_held(self, past: OwnPast, memory: Memory) -> None:
        if past.server is not None and memory.held is not None:
            declare_held_server(memory.held, past.server, self)

    def _check(self, urn: str, server: ServerSettings, provider: ClusterProvider, memory: Memory) -> None:
        """Refuse what would make two resources own the same objects, and a provider that does not suit."""
        problems = [*provider.problems(remote=self._elsewhere)]
        path = SettingPath(("serverName",))
        place = (provider.cluster, server.namespace, server.name)
        if (same := self._program.other_with(urn, self._label, place)) is not None:
            text = (
                f"{server.name!r} in namespace {server.namespace} is the server of {same}, and two "
                "components cannot own the same Services"
            )
            problems.append(Problem(path, text))
        elif (holder := self._past.names_held_by) is not None:
            text = (
                f"objects of {holder} still have the names that those of this component get in the state; "
                "update once without this component, then add it"
            )
            problems.append(Problem(path, text))
        else:
            problems += self._held_by_another(server, provider, memory)
        if problems:
            raise ConfigurationRefused(problems)

    def _held_by_another(
        self, server: ServerSettings, provider: ClusterProvider, memory: Memory
    ) -> Iterator[Problem]:
        found = held_by_another(
            self._resources, memory.elsewhere, server.name, provider.place(server.namespace)
        )
        if found is not None:
            place, other = found
            then = (
                "remove that component from the state, which does not delete the object: "
                f"`pulumi state delete --target-dependents '{other.component}'`"
                if place in memory.objects.values()
                else f'if it is the same server, add aliases=["{other.component}"] to the options'
            )
            text = (
                f"{place} belongs to {other.component} in the state of this program, and is deleted when "
                f"that component is; {then}"
            )
            yield Problem(SettingPath(("aliases",)), text)

    def _name_objects(self, name: str, server: str) -> None:
        """Keep the objects apart from those of a component with a server of the same name, elsewhere."""
        self._named_in_objects = "" if name == server else name

    def _say(self, note: Note) -> None:
        log = pulumi.log.warn if note.warning else pulumi.log.info
        log(str(note), self)

    def _with_options(
        self, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        """Objects depend on what their component's inputs come from: the engine deletes them first.

        They also have the URNs of the state as aliases. Those that the engine passes on from the component
        are not enough: it passes on none where a failed update has registered the component by its new URN
        already, and it knows nothing of names that have become others.
        """
        former = self._past.urns.get((args.type_, object_and_component(args.name)[0]))
        if not self._after and former is None:
            return None
        added = pulumi.ResourceOptions(
            depends_on=[*self._after], aliases=[former] if former is not None else None
        )
        opts = pulumi.ResourceOptions.merge(args.opts, added)
        return pulumi.ResourceTransformationResult(args.props, opts)


def _decide(question: _Question) -> tuple[RunRecord, tuple[Note, ...]]:
    """Ask and decide, by the rules of every run."""
    configuration, settings, memory = question.configuration, question.inputs.settings, question.memory
    [server] = effective_servers(settings)
    endpoint, given = api_endpoint(server), None
    through_cluster = isinstance(endpoint, ByPortForward) or server.api.password_secret is not None
    unseen = question.provider.unseen
    if not_yet := question.inputs.not_yet or (unseen if through_cluster else ""):
        # Not an outage: what is remembered stays, whatever `onUnreachable` says.
        settings = settings.model_copy(
            update={"servers": [settings.servers[0].model_copy(update={"on_unreachable": "keep"})]}
        )
        polls = {server.name: (Unreachable(not_yet),)}
        given = Answers(take_fingerprints(configuration, memory), polls)
    context = RunContext(os.environ, has_cluster=not unseen)
    record = survey(configuration, settings, memory, context, given)
    if question.namespace_follows and pulumi.runtime.is_dry_run():
        record = _without_namespaces(record)
    return record, prepare(record, os.environ)


def _without_namespaces(record: RunRecord) -> RunRecord:
    refusals = tuple(this for this in record.decision.refusals if not isinstance(this, NamespaceMissing))
    return replace(record, decision=replace(record.decision, refusals=refusals))
