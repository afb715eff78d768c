"""Objects of kinds that somebody has to install."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra.decide.kinds import CustomObject, KindDecision
from dittoinfra.declare.metadata import metadata
from dittoinfra.settings import ServerSettings


def declare_custom(
    server: ServerSettings,
    this: CustomObject,
    decision: KindDecision,
    labels: Mapping[str, str],
    spec: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
    annotations: Mapping[str, str] | None = None,
) -> CustomResource | None:
    """The object, unless it was decided that the cluster has no place for it."""
    if not decision.declares(this):
        return None
    return CustomResource(
        this.name,
        api_version=this.kind.api_version,
        kind=this.kind.kind,
        metadata=metadata(this.name, server.namespace, labels, annotations),
        spec=dict(spec),
        opts=opts,
    )
