"""Settings of discovery: which objects of the cluster stand for servers."""

from typing import Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import Namespace, Settings
from dittoinfra.settings.labels import LabelSelector


class ServersFrom(Settings):
    """Objects of the cluster, each of which stands for a server.

    A server is named by the label `instance` where the object has `app: dittofs-server`, as the operator
    labels it, and by the object's own name otherwise; of a Service's name the endings `-headless`, `-api`,
    `-metrics` and `-file` do not count. Its namespace is the object's. Its labels choose settings
    (`selectors`) and are put on nothing.
    """

    kind: Literal["StatefulSet", "Service"] = "StatefulSet"
    """What is looked for. Services of adapters are none of a server."""
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
