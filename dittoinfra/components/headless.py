"""A headless Service: DNS names for Pods, and no address of its own. It knows nothing of DittoFS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServiceSpecArgs
from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, with_config

from dittoinfra.components.resource_inputs import deleted_promptly, metadata, service_port_args
from dittoinfra.decide.exposure import ServicePort
from dittoinfra.naming import recommended_labels
from dittoinfra.settings.base import AnyAnnotationKey, LabelKey, LabelValue, Namespace, ServiceName
from dittoinfra.settings.problems import argument_problems
from dittoinfra.urns import HEADLESS_TYPE


def _distinct(ports: Sequence[ServicePort]) -> Sequence[ServicePort]:
    if len({port.name for port in ports}) < len(ports):
        raise ValueError("must have a name of its own for each port")
    if len({(port.port, port.protocol) for port in ports}) < len(ports):
        raise ValueError("must have each number once for each protocol")
    return ports


@with_config(ConfigDict(strict=True, revalidate_instances="always"))
@dataclass(frozen=True, slots=True)
class HeadlessServiceArgs:
    """The inputs of a headless Service. Plain values: a preview refuses what Kubernetes would."""

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
    """All annotations of the Service: one that is no longer here is removed."""
    publish_not_ready_addresses: bool = False
    """Whether a Pod is found before it is ready."""


_ARGS = TypeAdapter(HeadlessServiceArgs)


class HeadlessService(pulumi.ComponentResource):
    """A Service that is headless whatever happens: `clusterIP` cannot change once it is set."""

    service: Service

    def __init__(
        self, name: str, args: HeadlessServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        # Before the component is registered: refused inputs must not appear in a preview.
        _refuse_wrong(name, args)
        super().__init__(HEADLESS_TYPE, name, None, opts)
        self.service = declare_headless(name, args, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def declare_headless(name: str, args: HeadlessServiceArgs, opts: pulumi.ResourceOptions) -> Service:
    """The Service alone, for a component that holds more than that."""
    _refuse_wrong(name, args)
    recommended = recommended_labels(args.app, args.instance, args.managed_by)
    return Service(
        name,
        metadata=metadata(args.name, args.namespace, {**args.labels, **recommended}, args.annotations),
        spec=ServiceSpecArgs(
            cluster_ip="None",
            publish_not_ready_addresses=args.publish_not_ready_addresses or None,
            selector=dict(recommended if args.selector is None else args.selector),
            ports=service_port_args(args.ports),
        ),
        opts=deleted_promptly(opts),
    )


def _refuse_wrong(name: str, args: HeadlessServiceArgs) -> None:
    try:
        _ARGS.validate_python(args)
    except ValidationError as error:
        problems = argument_problems(error, f"HeadlessService {name}")
        raise pulumi.RunError("\n".join(map(str, problems))) from None
