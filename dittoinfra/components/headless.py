"""A headless Service: DNS names for Pods, and no address of its own. It knows nothing of DittoFS."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import Service

from dittoinfra.components.resource_inputs import deleted_promptly, state_name


def declare_headless(
    resource: str, metadata: Mapping[str, Any], spec: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> Service:
    """A Service that is headless whatever its `spec` says: `clusterIP` cannot change once it is set."""
    # The SDK takes blocks with Kubernetes' own field names, though its types do not say so.
    blocks: dict[str, Any] = {"metadata": dict(metadata), "spec": {**spec, "clusterIP": "None"}}
    return Service(state_name(resource, opts), **blocks, opts=deleted_promptly(opts))
