"""The settings of a headless Service, a component for other programs. It knows nothing of DittoFS."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dittoinfra.settings.base import (
    AnyAnnotationKey,
    LabelKey,
    LabelValue,
    Namespace,
    Port,
    ServiceName,
    ServicePortName,
    Settings,
    TargetPort,
)


class HeadlessPort(Settings):
    """A port of a headless Service."""

    name: ServicePortName
    """Name of the port."""
    port: Port
    """Its number."""
    target: TargetPort | None = None
    """Where it leads in each Pod: a number, or the name of a container port; unset is the port's own name."""
    protocol: Literal["TCP", "UDP"] = "TCP"
    """What it speaks."""


def _distinct(ports: list[HeadlessPort]) -> list[HeadlessPort]:
    if len({port.name for port in ports}) < len(ports):
        raise ValueError("must have a name of its own for each port")
    if len({(port.port, port.protocol) for port in ports}) < len(ports):
        raise ValueError("must have each number once for each protocol")
    return ports


class HeadlessSettings(Settings):
    """A Service that gives DNS names to Pods, and that has no address of its own."""

    name: ServiceName | None = None
    """Name of the Service; unset is the component's own name."""
    namespace: Namespace = "default"
    """Kubernetes namespace of the Service."""
    app: LabelValue
    """The label `app.kubernetes.io/name`: what runs there."""
    instance: LabelValue | None = None
    """The label `app.kubernetes.io/instance`: which one of them; unset is the name of the Service."""
    managed_by: LabelValue = "pulumi"
    """The label `app.kubernetes.io/managed-by`."""
    ports: Annotated[list[HeadlessPort], AfterValidator(_distinct)]
    """Ports of the Service."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Further labels; those above win."""
    selector: dict[LabelKey, LabelValue] | None = None
    """Labels of the Pods; unset is the three labels above."""
    annotations: dict[AnyAnnotationKey, str] = Field(default_factory=dict)
    """All annotations of the Service: one that is no longer here is removed."""
    publish_not_ready_addresses: bool = False
    """Whether a Pod is found before it is ready."""
