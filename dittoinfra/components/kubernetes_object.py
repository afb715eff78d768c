"""A Kubernetes object as a resource of the engine, from its manifest.

Manifests are in Kubernetes' own words, as the rules make them. The classes of pulumi_kubernetes register the
same resources from the same values under Python's names for them, and take longer to import than everything
else that a run needs.
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import pulumi

from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.urns import former_urn, in_component, type_token

_PROVIDER_VERSION: Final = version("pulumi-kubernetes")
"""The version of the provider that its SDK would ask the engine for."""

_SECRET_FIELDS: Final = ("data", "stringData")


class KubernetesObject(pulumi.CustomResource):
    """An object of any kind.

    It has no constructor of its own. The SDK takes what calls a third constructor for a user's code, and puts
    the call stack from there into the state, with the paths of this machine: as much again as all the rest.
    """

    metadata: pulumi.Output[Any]
    """Its name, its labels, and what else Kubernetes keeps beside its content."""
    spec: pulumi.Output[Any]
    """What is asked for, with what Kubernetes has filled in; only of kinds that have it."""
    status: pulumi.Output[Any]
    """What Kubernetes has made of it; only of kinds that have it."""


def register(
    name: str, held: HeldObject, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> KubernetesObject:
    """Register an object with the engine, under its name in the state."""
    properties: dict[str, Any] = {**manifest, "status": None}
    own = pulumi.ResourceOptions(version=_PROVIDER_VERSION)
    if held.kind == "Secret":
        # Marked here, the engine encrypts it in the state and shows it in no diff, whatever the provider.
        secret = {key: manifest[key] for key in _SECRET_FIELDS if key in manifest}
        properties |= {key: pulumi.Output.secret(value) for key, value in secret.items()}
        own.additional_secret_outputs = [*_SECRET_FIELDS]
    opts = pulumi.ResourceOptions.merge(own, opts)
    return KubernetesObject(type_token(held.api_version, held.kind), name, properties, opts)


def declare_object(
    this: DeclaredObject,
    parent: pulumi.Resource | None = None,
    declared: Mapping[HeldObject, pulumi.Resource] | None = None,
) -> KubernetesObject:
    """Declare an object, after those of the `declared` ones that it needs."""
    opts = pulumi.ResourceOptions(
        parent=parent,
        depends_on=[declared[held] for held in this.after] if declared else None,
        ignore_changes=[*this.ignored] or None,
        retain_on_delete=this.retained or None,
        custom_timeouts=pulumi.CustomTimeouts(delete=this.removal_timeout) if this.removal_timeout else None,
        aliases=_aliases(this, parent),
    )
    return register(state_name(this.held.name, parent), this.held, this.manifest, opts)


def state_name(name: str, parent: pulumi.Resource | None) -> str:
    """The name of an object in the engine's state, from the one in this project's own tree."""
    return in_component(name, getattr(parent, "_named_in_objects", ""))


def _aliases(
    this: DeclaredObject, parent: pulumi.Resource | None
) -> list[pulumi.Input[str | pulumi.Alias]] | None:
    """Where states of earlier versions have the object: there it is moved, and not replaced."""
    former = this.former_parent
    if former is None or parent is None:
        return None
    token, name = type_token(this.held.api_version, this.held.kind), this.held.name
    return [parent.urn.apply(lambda urn: former_urn(urn, former, token, name))]
