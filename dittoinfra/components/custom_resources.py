"""Objects of a server whose kinds are not built into Kubernetes and have to be installed."""

from collections.abc import Mapping
from dataclasses import replace

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra import naming
from dittoinfra.components.resource_inputs import SKIP_AWAIT, metadata, state_name
from dittoinfra.decide.custom_kinds import (
    PERCONA_CLUSTER,
    CustomKind,
    CustomObject,
    KindDecision,
    custom_objects,
    host_mapping,
)
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.settings import Deploy, ServerSettings


def declare_custom_resources(
    server: ServerSettings, deploy: Deploy, kinds: KindDecision, opts: pulumi.ResourceOptions
) -> Mapping[CustomKind, CustomResource]:
    """By kind, all that the settings ask for, but those that were decided to be unknown to the cluster."""
    percona = deploy.database.percona
    kept = pulumi.ResourceOptions(retain_on_delete=percona is not None and not percona.delete_with_server)
    # The server waits for its database by itself, so that `up` need not.
    special = {PERCONA_CLUSTER: ({SKIP_AWAIT: "true"}, pulumi.ResourceOptions.merge(opts, kept))}
    declared = {}
    for this in custom_objects(server):
        if kinds.declares(this):
            annotations, options = special.get(this.kind, (this.annotations, opts))
            declared[this.kind] = _declare(server, this, annotations, options)
    return declared


def declare_host_mapping(
    server: ServerSettings, named: NamedAdapter, kinds: KindDecision, opts: pulumi.ResourceOptions
) -> None:
    """The HostMapping `{name}-adapter-{type}` of router-hosts, for names that have an address."""
    names = named.names
    spec = {
        "hostname": names.hostname,
        "ip": named.located.addresses[0],
        **({"aliases": list(names.aliases)} if names.aliases else {}),
        **({"tags": named.dns.tags} if named.dns.tags else {}),
    }
    labels = naming.component_labels(server.name, "dns", server.labels)
    this = replace(host_mapping(server.name, names.type), labels=labels, spec=spec)
    if kinds.declares(this):
        _declare(server, this, {}, opts)


def _declare(
    server: ServerSettings,
    this: CustomObject,
    annotations: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    return CustomResource(
        state_name(this.name, opts),
        api_version=this.kind.api_version,
        kind=this.kind.kind,
        metadata=metadata(this.name, server.namespace, this.labels, annotations),
        spec=dict(this.spec),
        opts=opts,
    )
