"""Every Kubernetes object that is declared for a server, as values. Pure.

What a run declares, what `drift` and `status` compare with the cluster, and what `render` writes are the same
values: nothing else says what an object of this stack looks like.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.adapter_manifests import (
    Manifest,
    adapter_policy,
    baseline_policy,
    default_deny_policy,
    service_manifests,
)
from dittoinfra.decide.cluster_edits import only_reordered
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.custom_kinds import PERCONA_CLUSTER, KindDecision, custom_objects, host_mapping
from dittoinfra.decide.exposure import (
    ContainerPort,
    adapter_ingress,
    container_ports,
    headless_ports,
    template_ports,
    unnamed_by_others,
)
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.decide.pod_template import pod_template
from dittoinfra.decide.workload_manifests import (
    api_ingress,
    api_services,
    config_map,
    custom_manifest,
    disruption_budget,
    headless_service,
    namespace_manifest,
    port_patch,
    ports_text,
    secrets,
    stateful_set,
)
from dittoinfra.model import DeclaredAdapter, FoundServer, RememberedAdapter, ServerDecision
from dittoinfra.nested_values import UNKNOWN
from dittoinfra.object_model import DeclaredObject, HeldObject, SecretsSeen
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings, service_settings
from dittoinfra.settings.base import duration_text
from dittoinfra.urns import FORMER_ADAPTER_TYPE, HEADLESS_TYPE

PROMPT_DELETION = "20s"
"""For objects that Kubernetes deletes at once. Only a finalizer can delay their deletion: the run then ends
within seconds and names it, where the provider by itself would wait for ten minutes.
"""


@dataclass(frozen=True, slots=True)
class ServerArgs:
    """What a server is declared with: its settings, and what was decided."""

    settings: ServerSettings
    decision: ServerDecision
    kinds: KindDecision = field(default_factory=KindDecision)
    secrets: ServerSecrets | None = None
    names: Mapping[str, NamedAdapter] = field(default_factory=dict)
    """Names of the adapters that have some, by type."""
    found: FoundServer | None = None
    """None where the configuration names the server."""
    replaces: bool = False
    """Whether this run deletes the server's StatefulSet and creates another one in its place."""
    patched_ports: str | None = None
    """Ports that the stack has added to a StatefulSet of another manager, as its annotation lists them."""
    live_ports: frozenset[str] = frozenset()
    """Ports that this StatefulSet has in the cluster, as `naming.port_text` spells them."""
    waiting: frozenset[HeldObject] = frozenset()
    """Objects of adapters that are still being deleted, and that this run does not declare."""
    unapplied: Mapping[HeldObject, Mapping[str, int]] = field(default_factory=dict)
    """Ports by name of objects that were created, and never updated: a preview cannot move these."""
    contents: Mapping[HeldObject, Mapping[str, Any]] = field(default_factory=dict)
    """Objects as the engine last saw them, with what was declared of them."""
    restarted: str | None = None
    """When `kubectl rollout restart` was last run on the workload."""
    secrets_seen: SecretsSeen = field(default_factory=SecretsSeen)
    """What is remembered of the Secrets that the server reads, with the hash for its Pod's template."""
    carried_config: Mapping[str, Any] = field(default_factory=dict)
    """What the server's configuration had beyond the settings when it was adopted."""
    removed: tuple[RememberedAdapter, ...] = ()
    """Adapters whose Services this run deletes, as they were remembered."""
    secrets_known: bool = True
    """Whether the `secrets` are known: in a preview they may be outputs of resources yet to be created."""


def server_objects(args: ServerArgs, *, preview: bool = False) -> tuple[DeclaredObject, ...]:
    """Every object that is declared for a server, each after those that it needs.

    In a `preview` a value may be left unknown, where the provider could not preview the object otherwise.
    """
    server = args.settings
    of_adapters = [
        *(this for adapter in args.decision.adapters for this in _of_adapter(args, adapter)),
        *_mappings(args),
        *_made(args, baseline_policy(server)),
    ]
    # Last, so that the policies that allow traffic never wait for the one that denies it.
    allowing = tuple(this.held for this in of_adapters if this.kind != "HostMapping")
    denying = [replace(this, after=allowing) for this in _made(args, default_deny_policy(server))]
    return (*of_adapters, *denying, *_workload(args, preview=preview))


def namespace_object(name: str) -> DeclaredObject:
    """A namespace. It stays when the stack is destroyed: Kubernetes would delete everything in it, volume
    claims included.
    """
    return DeclaredObject("", HeldObject("v1", "Namespace", name), namespace_manifest(name), retained=True)


def _of_adapter(args: ServerArgs, adapter: DeclaredAdapter) -> Iterator[DeclaredObject]:
    server, settings = args.settings, service_settings(args.settings, adapter.type)
    named = args.names.get(adapter.type)
    for resource, manifest in service_manifests(server, adapter, settings, named):
        held = HeldObject("v1", "Service", resource)
        if manifest is not None and held not in args.waiting:
            reordered = only_reordered(args.contents.get(held, {}), manifest["spec"]["ports"])
            yield DeclaredObject(
                server.name,
                held,
                manifest,
                removal_timeout=duration_text(settings.removal_timeout),
                ignored=("spec.ports",) if reordered else (),
                former_parent=FORMER_ADAPTER_TYPE,
            )
    ingress = adapter_ingress(server, adapter, settings)
    if ingress is not None:
        held = HeldObject(
            "networking.k8s.io/v1", "NetworkPolicy", naming.adapter_resource(server.name, adapter.type)
        )
        manifest = adapter_policy(server, adapter.type, ingress)
        yield DeclaredObject(
            server.name,
            held,
            manifest,
            removal_timeout=PROMPT_DELETION,
            former_parent=FORMER_ADAPTER_TYPE,
        )


def _mappings(args: ServerArgs) -> Iterator[DeclaredObject]:
    """HostMappings of router-hosts, for names that Services do not ask for, and that have an address."""
    server = args.settings
    for adapter_type, named in args.names.items():
        if named.names.kind != "HostMapping" or not named.located.addresses:
            continue
        names = named.names
        spec = {
            "hostname": names.hostname,
            "ip": named.located.addresses[0],
            **({"aliases": list(names.aliases)} if names.aliases else {}),
            **({"tags": named.dns.tags} if named.dns.tags else {}),
        }
        labels = naming.component_labels(server.name, "dns", server.labels)
        this = replace(host_mapping(server.name, names.type), labels=labels, spec=spec)
        if args.kinds.declares(this) and this.held not in args.waiting:
            timeout = duration_text(service_settings(server, adapter_type).removal_timeout)
            manifest = custom_manifest(server, this)
            yield DeclaredObject(server.name, this.held, manifest, removal_timeout=timeout)


def _workload(args: ServerArgs, *, preview: bool) -> Iterator[DeclaredObject]:
    """The workload that this stack deploys, or the adapters' ports on one of another manager."""
    server, adapters = args.settings, args.decision.adapters
    settings = {adapter.type: service_settings(server, adapter.type) for adapter in adapters}
    ports = container_ports(adapters, settings, server.deploy)
    if server.deploy is not None:
        yield from _deployed(args, server.deploy, ports, preview=preview)
    elif server.patch_ports and (own := unnamed_by_others(ports, args.live_ports)):
        # The provider compares lists by position, and the container's list begins with ports of other
        # managers: it would find a difference in every run. So an annotation records the patched ports.
        yield DeclaredObject(
            server.name,
            HeldObject("apps/v1", "StatefulSetPatch", server.name),
            port_patch(server, own),
            ignored=("spec",) if ports_text(own) == args.patched_ports else (),
        )


def _deployed(
    args: ServerArgs, deploy: Deploy, ports: tuple[ContainerPort, ...], *, preview: bool
) -> Iterator[DeclaredObject]:
    server = args.settings
    for manifest in api_services(server, deploy):
        yield from _made(args, manifest)
    yield from _made(args, api_ingress(server, deploy), removal_timeout=None)
    custom = [this for this in custom_objects(server) if args.kinds.declares(this)]
    percona = deploy.database.percona
    for this in custom:
        kept = this.kind == PERCONA_CLUSTER and percona is not None and not percona.delete_with_server
        yield DeclaredObject(server.name, this.held, custom_manifest(server, this), retained=kept)
    headless = headless_service(server, headless_ports(ports, args.decision.adapters, deploy))
    yield from _made(args, headless, former_parent=HEADLESS_TYPE)
    if deploy.pod_disruption_budget:
        yield from _made(args, disruption_budget(server))
    config = config_yaml(server, deploy, args.carried_config)
    made = secrets(server, args.secrets or ServerSecrets(), known=args.secrets_known)
    started_from = [
        this for manifest in (config_map(server, config), *made) for this in _made(args, manifest)
    ]
    yield from started_from
    databases = [this.held for this in custom if this.kind == PERCONA_CLUSTER]
    annotations = _template_annotations(args, config, preview=preview)
    template = pod_template(server, deploy, template_ports(ports, deploy), annotations)
    yield from _made(
        args,
        stateful_set(server, deploy, template),
        removal_timeout=None,
        after=(*(this.held for this in started_from), *databases),
    )


def _template_annotations(args: ServerArgs, config: str, *, preview: bool) -> dict[str, str]:
    # The server reads its configuration only when it starts: another hash restarts the Pod.
    digest = config_hash(config, args.secrets.jwt if args.secrets else None)
    # A provider that creates by server-side apply previews a replacement as an update of the live object,
    # which the API refuses. It does not send an object with an unknown value in it.
    if (args.replaces and preview) or not args.secrets_known:
        digest = UNKNOWN
    # Without the time of the last `kubectl rollout restart` the next update would restart the Pod again.
    restarted = {naming.RESTARTED_ANNOTATION: args.restarted} if args.restarted else {}
    seen = args.secrets_seen.restart
    changed = {naming.SECRETS_HASH_ANNOTATION: seen} if seen else {}
    return {naming.CONFIG_HASH_ANNOTATION: digest, **changed, **restarted}


def _made(
    args: ServerArgs,
    manifest: Manifest | None,
    *,
    removal_timeout: str | None = PROMPT_DELETION,
    after: tuple[HeldObject, ...] = (),
    former_parent: str | None = None,
) -> Iterator[DeclaredObject]:
    """An object that has one name in the state and in the cluster; none where there is no manifest."""
    if manifest is not None:
        held = HeldObject(manifest["apiVersion"], manifest["kind"], manifest["metadata"]["name"])
        yield DeclaredObject(
            args.settings.name,
            held,
            manifest,
            removal_timeout=removal_timeout,
            after=after,
            former_parent=former_parent,
        )
