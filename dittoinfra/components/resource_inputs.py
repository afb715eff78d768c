"""Inputs and options that declared objects have in common."""

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from dittoinfra.decide.adapter_manifests import SKIP_AWAIT
from dittoinfra.urns import former_urn, in_component

__all__ = ["SKIP_AWAIT", "deleted_promptly", "metadata", "moved_to", "state_name"]


def metadata(
    name: str, namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str] | None = None
) -> ObjectMetaArgs:
    """An object's name, namespace and labels; no annotations at all where there are none."""
    return ObjectMetaArgs(
        name=name, namespace=namespace, labels=dict(labels), annotations=dict(annotations or {}) or None
    )


def deleted_promptly(opts: pulumi.ResourceOptions, timeout: str = "20s") -> pulumi.ResourceOptions:
    """The options of an object that Kubernetes deletes at once.

    Only a finalizer can delay its deletion: the run then ends within seconds and names it, where the provider
    by itself would wait for ten minutes.
    """
    return pulumi.ResourceOptions.merge(
        opts, pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(delete=timeout))
    )


def state_name(name: str, opts: pulumi.ResourceOptions) -> str:
    """The name of an object in the engine's state, from the one in this project's own tree."""
    return in_component(name, getattr(opts.parent, "_named_in_objects", ""))


def moved_to(server: pulumi.Resource, component: str, kind: str, name: str) -> pulumi.ResourceOptions:
    """Options of a server's child that earlier versions had inside a component of its own.

    With its former URN as an alias it is moved in the state, and not replaced.
    """
    former = server.urn.apply(lambda urn: former_urn(urn, component, kind, name))
    return pulumi.ResourceOptions(parent=server, aliases=[former])
