"""Volume claims of a deployed server. Kubernetes lets none of this change after creation."""

from pydantic import Field

from dittoinfra.settings.base import ObjectName, Settings
from dittoinfra.settings.deploy.quantity import Quantity


class Claim(Settings):
    """One volume claim."""

    size: Quantity = "10Gi"
    """How much is asked for."""
    storage_class: ObjectName | None = None
    """Storage class; unset takes the cluster's default."""


class ControlPlaneClaim(Claim):
    """The claim for the control plane's database."""

    size: Quantity = "1Gi"
    """How much is asked for."""


class Storage(Settings):
    """The server's claims, in the order in which they are declared. They outlive the StatefulSet."""

    metadata: Claim = Field(default_factory=Claim)
    """File metadata, at /data/store/metadata."""
    content: Claim | None = None
    """File content, at /data/store/block; unset where content lives in an object store."""
    controlplane: ControlPlaneClaim = Field(default_factory=ControlPlaneClaim)
    """The control plane's database, at /data/controlplane."""
    replace: bool = False
    """Let a change that Kubernetes forbids (claims, namespace) replace the StatefulSet; volumes stay."""
