"""A headless Service: DNS names for Pods, and no address of its own. It knows nothing of DittoFS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServiceSpecArgs
from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, with_config

from dittoinfra.decide import ServicePort
from dittoinfra.declare.metadata import metadata
from dittoinfra.declare.ports import service_port_args
from dittoinfra.naming import recommended_labels
from dittoinfra.settings.base import AnyAnnotationKey, LabelKey, LabelValue, Namespace, ServiceName
from dittoinfra.settings.problems import argument_problems


def _distinct(ports: Sequence[ServicePort]) -> Sequence[ServicePort]:
    if len({port.name for port in ports}) < len(ports):
        raise ValueError("must have a name of its own for each port")
    if len({(port.port, port.protocol) for port in ports}) < len(ports):
        raise ValueError("must have each number once for each protocol")
    return ports


@with_config(ConfigDict(strict=True, revalidate_instances="always"))
@dataclass(frozen=True, slots=True)
class HeadlessServiceArgs:
    """What a headless Service is made of. Plain values: a preview refuses what Kubernetes would."""

    name: ServiceName
    namespace: Namespace
    app: LabelValue
    """The label `app.kubernetes.io/name`: what runs there."""
    instance: LabelValue
    """The label `app.kubernetes.io/instance`: which one of them."""
    ports: Annotated[Sequence[ServicePort], AfterValidator(_distinct)]
    managed_by: LabelValue = "pulumi"
    """The label `app.kubernetes.io/managed-by`."""
    labels: Mapping[LabelKey, LabelValue] = field(default_factory=dict)
    """Further labels; those above win."""
    selector: Mapping[LabelKey, LabelValue] | None = None
    """Labels of the Pods; where there are none given, the three above."""
    annotations: Mapping[AnyAnnotationKey, str] = field(default_factory=dict)
    """All that the Service has: what is no longer here goes."""
    publish_not_ready_addresses: bool = False
    """Whether a Pod is found before it is ready."""


_ARGS = TypeAdapter(HeadlessServiceArgs)


class HeadlessService(pulumi.ComponentResource):
    """A Service that is headless whatever happens: `clusterIP` cannot change once it is set."""

    service: Service

    def __init__(
        self, name: str, args: HeadlessServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        _refuse_wrong(name, args)
        super().__init__("dittoinfra:index:HeadlessService", name, None, opts)
        recommended = recommended_labels(args.app, args.instance, args.managed_by)
        self.service = Service(
            name,
            # Nothing tells the provider not to wait: a headless Service is all there once it is made.
            metadata=metadata(args.name, args.namespace, {**args.labels, **recommended}, args.annotations),
            spec=ServiceSpecArgs(
                cluster_ip="None",
                publish_not_ready_addresses=args.publish_not_ready_addresses or None,
                selector=dict(recommended if args.selector is None else args.selector),
                ports=service_port_args(args.ports),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def _refuse_wrong(name: str, args: HeadlessServiceArgs) -> None:
    try:
        _ARGS.validate_python(args)
    except ValidationError as error:
        problems = argument_problems(error, f"HeadlessService {name}")
        raise pulumi.RunError("\n".join(map(str, problems))) from None
