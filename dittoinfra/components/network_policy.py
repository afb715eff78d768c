"""Network policies around a server."""

import pulumi
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from dittoinfra import naming
from dittoinfra.components.resource_inputs import deleted_promptly, state_name
from dittoinfra.decide.adapter_manifests import (
    Manifest,
    adapter_policy,
    baseline_policy,
    default_deny_policy,
)
from dittoinfra.decide.exposure import Ingress
from dittoinfra.settings import ServerSettings


def declare_adapter_policy(
    server: ServerSettings, adapter_type: str, ingress: Ingress, opts: pulumi.ResourceOptions
) -> NetworkPolicy:
    """The policy `{name}-adapter-{type}`."""
    resource = naming.adapter_resource(server.name, adapter_type)
    return _declare(resource, adapter_policy(server, adapter_type, ingress), opts)


def declare_baseline_policy(server: ServerSettings, opts: pulumi.ResourceOptions) -> NetworkPolicy | None:
    """The policy `{name}-baseline`, where the settings ask for policies and there is something to let in."""
    manifest = baseline_policy(server)
    return _declare(manifest["metadata"]["name"], manifest, opts) if manifest is not None else None


def declare_default_deny(server: ServerSettings, opts: pulumi.ResourceOptions) -> NetworkPolicy | None:
    """The policy `{name}-default-deny`, where the settings ask for it; best declared after all others."""
    manifest = default_deny_policy(server)
    return _declare(manifest["metadata"]["name"], manifest, opts) if manifest is not None else None


def _declare(resource: str, manifest: Manifest, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    return NetworkPolicy(
        state_name(resource, opts),
        metadata=manifest["metadata"],
        spec=manifest["spec"],
        opts=deleted_promptly(opts),
    )
