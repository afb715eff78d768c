"""A Kubernetes Service of a DittoFS adapter, as a state or a policy shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

SERVICE: Final = "kubernetes:core/v1:Service"
"""The engine's type of a Service."""

ADAPTER_SERVICE: Final = "dittofs.io/adapter-service"
ADAPTER_TYPE: Final = "dittofs.io/adapter-type"
_INSTANCE: Final = "instance", "app.kubernetes.io/instance"


@dataclass(frozen=True, slots=True)
class AdapterService:
    """What identifies the Service of one adapter; an empty text is not known."""

    urn: str
    namespace: str
    name: str
    server: str
    adapter: str
    type: str
    """`LoadBalancer`, `NodePort` or `ClusterIP`."""
    uid: str = ""

    @property
    def short_name(self) -> str:
        """As people name an adapter: `media/smb`."""
        return f"{self.server}/{self.adapter}"

    @property
    def long_name(self) -> str:
        """The same where several namespaces have a server of that name: `files/media/smb`."""
        return f"{self.namespace}/{self.short_name}"

    @property
    def location(self) -> str:
        """The object in the cluster: `files/media-adapter-smb`."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def adapter_service(urn: str, type_token: str, properties: Mapping[str, Any]) -> AdapterService | None:
    """The adapter's Service that a resource is, or None for every other resource."""
    if type_token != SERVICE:
        return None
    metadata = mapping(properties.get("metadata"))
    labels = mapping(metadata.get("labels"))
    if text(labels.get(ADAPTER_SERVICE)) != "true" and not text(labels.get(ADAPTER_TYPE)):
        return None
    name = text(metadata.get("name"))
    instances = (text(labels.get(label)) for label in _INSTANCE)
    return AdapterService(
        urn,
        text(metadata.get("namespace")),
        name,
        next(filter(None, instances), name),
        text(labels.get(ADAPTER_TYPE)) or "adapter",
        text(mapping(properties.get("spec")).get("type")),
        text(metadata.get("uid")),
    )


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, or else an empty one: states hold what programs wrote."""
    return value if isinstance(value, Mapping) else {}


def text(value: object) -> str:
    """The value where it is text; what is unknown in a preview is not."""
    return value if isinstance(value, str) else ""
