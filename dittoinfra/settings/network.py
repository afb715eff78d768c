"""Settings of network policies: whether there are any, and who they let in, in Kubernetes' words."""

from typing import Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import Cidr, Port, Settings
from dittoinfra.settings.labels import LabelSelector


class IpBlock(Settings):
    """A network."""

    cidr: Cidr
    """Its addresses."""
    # The word is Kubernetes', and Python's too.
    except_: list[Cidr] = Field(alias="except", default_factory=list)
    """Networks within it that stay out."""


class Peer(Settings):
    """Somebody who may connect: Pods, namespaces, Pods of namespaces, or a network."""

    pod_selector: LabelSelector | None = None
    """Pods: of the server's namespace, or of those that `namespaceSelector` selects."""
    namespace_selector: LabelSelector | None = None
    """Namespaces."""
    ip_block: IpBlock | None = None
    """A network, which stands alone."""

    @model_validator(mode="after")
    def _pods_or_a_network(self) -> "Peer":
        selected = self.pod_selector is not None or self.namespace_selector is not None
        if selected == (self.ip_block is not None):
            raise ValueError("needs podSelector, namespaceSelector or both, or else ipBlock alone")
        return self


class NetworkPolicySettings(Settings):
    """Network policies. Of a Pod that any policy selects, Kubernetes closes every port that none opens."""

    mode: Literal["disabled", "enabled", "defaultDeny"] = "disabled"
    """`enabled` opens what the Services expose; `defaultDeny` adds a policy that keeps all else closed, even
    while no adapter has a policy. The cluster's network must enforce policies."""
    # The word is Kubernetes', and Python's too.
    from_: list[Peer] = Field(alias="from", default_factory=list)
    """Who may connect; empty lets everyone in."""
    ports: list[Port] | None = None
    """Further TCP ports of the Pod that stay open. A server that exists already must say it: its API's port,
    or none where a policy of somebody else opens that."""
