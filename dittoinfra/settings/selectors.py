"""Selection in Kubernetes' words: by labels, of servers in the cluster, and of who may connect to a Pod."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import Cidr, LabelKey, LabelValue, Namespace, Port, Settings


class LabelRequirement(Settings):
    """One condition on an object's labels."""

    key: LabelKey
    """The label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How it is compared."""
    values: list[LabelValue] = Field(default_factory=list)
    """What it is compared with, for In and NotIn."""

    @model_validator(mode="after")
    def _values_where_compared(self) -> "LabelRequirement":
        if bool(self.values) != (self.operator in ("In", "NotIn")):
            raise ValueError("In and NotIn need values, Exists and DoesNotExist have none")
        return self

    def met_by(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels meet it; a label that is not there is in no list, so NotIn is met."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case _:
                return value is None

    def query(self) -> str:
        """The condition as a part of the API's `labelSelector`."""
        match self.operator:
            case "In" | "NotIn":
                return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"
            case "Exists":
                return self.key
            case _:
                return f"!{self.key}"


class LabelSelector(Settings):
    """Objects by their labels; an empty selector is all of them."""

    match_labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels that an object must have."""
    match_expressions: list[LabelRequirement] = Field(default_factory=list)
    """Conditions that it must meet as well."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected, exactly as Kubernetes would."""
        return self.match_labels.items() <= labels.items() and all(
            requirement.met_by(labels) for requirement in self.match_expressions
        )

    def query(self) -> str:
        """This selector as the `labelSelector` of a request to the API; an empty one is an empty text."""
        labels = (f"{key}={value}" for key, value in self.match_labels.items())
        return ",".join([*labels, *(requirement.query() for requirement in self.match_expressions)])


class ServersFrom(Settings):
    """Objects of the cluster, each of which stands for a server.

    A server is named by the label `instance` where the object has `app: dittofs-server`, as the operator
    labels it, and by the object's own name otherwise; of a Service's name the endings `-headless`, `-api`,
    `-metrics` and `-file` do not count. Its namespace is the object's. Its labels choose settings
    (`selectors`) and are put on nothing.
    """

    kind: Literal["StatefulSet", "Service"] = "StatefulSet"
    """Kind of object to search. Adapter Services never count as servers."""
    selector: LabelSelector
    """Which of them, by their labels."""
    namespaces: list[Namespace] = Field(default_factory=list)
    """Where; empty means the stack's `namespace`, unless `namespaceSelector` is set."""
    namespace_selector: LabelSelector | None = None
    """Where, by the labels of the namespaces; `{}` is everywhere."""

    @model_validator(mode="after")
    def _one_way_to_say_where(self) -> "ServersFrom":
        if self.namespaces and self.namespace_selector is not None:
            raise ValueError("takes namespaces or namespaceSelector, not both")
        return self


class IpBlock(Settings):
    """A network."""

    cidr: Cidr
    """Its addresses."""
    # The word is Kubernetes', and Python's too.
    except_: list[Cidr] = Field(alias="except", default_factory=list)
    """Networks within it that stay out."""


class Peer(Settings):
    """Who may connect: Pods, namespaces, Pods of namespaces, or a network."""

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
    or none where another policy opens that."""
