"""The Services and network policies of a server's adapters, as Kubernetes takes them. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.exposure import (
    Ingress,
    IngressRule,
    ServicePort,
    baseline_ingress,
    default_deny,
    service_ports,
    split_ports,
)
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.model import DeclaredAdapter
from dittoinfra.settings import ServerSettings, TypeSettings

Manifest = Mapping[str, Any]

SKIP_AWAIT = "pulumi.com/skipAwait"
"""Keeps the provider from waiting until an object is ready, which without a cloud may be never."""

_POLICY_API = "networking.k8s.io/v1"


def service_manifests(
    server: ServerSettings, adapter: DeclaredAdapter, settings: TypeSettings, named: NamedAdapter | None
) -> tuple[tuple[str, Manifest | None], tuple[str, Manifest | None]]:
    """An adapter's Service and a second one for UDP ports, by their names in the state; None for no ports."""
    udp = split_ports(adapter, settings)
    rest = [port for port in service_ports(adapter, settings) if port not in udp]
    dns = named.annotations if named else {}
    resource = naming.adapter_resource(server.name, adapter.type)
    name, second = (
        naming.adapter_service(server.name, adapter.type),
        naming.adapter_udp_service(server.name, adapter.type),
    )
    return (
        (resource, _service(server, adapter, settings, name, rest, dns)),
        # A host name leads to one Service: the second one has the same annotations without it.
        (naming.udp_resource(resource), _service(server, adapter, settings, second, udp, {})),
    )


def _service(
    server: ServerSettings,
    adapter: DeclaredAdapter,
    settings: TypeSettings,
    name: str,
    ports: Sequence[ServicePort],
    dns: Mapping[str, str],
) -> Manifest | None:
    if not ports:
        return None
    labels = naming.adapter_labels(server.name, adapter.type, naming.ADAPTER_SERVICE_LABEL, server.labels)
    annotations = _annotations(adapter, settings, dns)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": object_metadata(name, server.namespace, labels, annotations),
        "spec": _spec(server, settings, ports),
    }


def _annotations(adapter: DeclaredAdapter, settings: TypeSettings, dns: Mapping[str, str]) -> dict[str, str]:
    annotations = {} if settings.wait else {SKIP_AWAIT: "true"}
    annotations |= settings.annotations
    annotations |= dns
    if adapter.absences:
        annotations[naming.ABSENCE_ANNOTATION] = str(adapter.absences)
    return annotations


def _spec(server: ServerSettings, settings: TypeSettings, ports: Sequence[ServicePort]) -> dict[str, Any]:
    balanced = settings.type == "LoadBalancer"
    external = settings.type != "ClusterIP"
    # Kubernetes refuses these fields on a Service whose type has no use for them.
    return _without_nulls(
        type=settings.type,
        selector=naming.selector(server.name),
        ports=[
            {"name": p.name, "port": p.port, "targetPort": p.target, "protocol": p.protocol} for p in ports
        ],
        loadBalancerSourceRanges=(list(settings.source_ranges) or None) if balanced else None,
        loadBalancerClass=settings.load_balancer_class if balanced else None,
        externalTrafficPolicy=settings.external_traffic_policy if external else None,
        sessionAffinity=settings.session_affinity,
        ipFamilyPolicy=settings.ip_family_policy,
    )


def adapter_policy(server: ServerSettings, adapter_type: str, ingress: Ingress) -> Manifest:
    """The policy `{name}-adapter-{type}`."""
    name = naming.adapter_service(server.name, adapter_type)
    labels = naming.adapter_labels(server.name, adapter_type, naming.ADAPTER_POLICY_LABEL, server.labels)
    return _policy(server, name, labels, ingress)


def baseline_policy(server: ServerSettings) -> Manifest | None:
    """The policy `{name}-baseline`, where the settings ask for policies and there is something to let in."""
    ingress = baseline_ingress(server)
    if ingress is None:
        return None
    labels = {**naming.server_labels(server.name, server.labels), naming.BASELINE_POLICY_LABEL: "true"}
    return _policy(server, naming.baseline_policy(server.name), labels, ingress)


def default_deny_policy(server: ServerSettings) -> Manifest | None:
    """The policy `{name}-default-deny`, where the settings ask for it."""
    if not default_deny(server):
        return None
    name, labels = naming.default_deny_policy(server.name), naming.server_labels(server.name, server.labels)
    return _policy(server, name, labels, ())


def _policy(server: ServerSettings, name: str, labels: Mapping[str, str], ingress: Ingress) -> Manifest:
    return {
        "apiVersion": _POLICY_API,
        "kind": "NetworkPolicy",
        "metadata": object_metadata(name, server.namespace, labels, {}),
        "spec": _without_nulls(
            podSelector={"matchLabels": naming.selector(server.name)},
            policyTypes=["Ingress"],
            ingress=[_rule(rule) for rule in ingress] or None,
        ),
    }


def _rule(rule: IngressRule) -> dict[str, Any]:
    # The settings of peers are in Kubernetes' own words.
    peers = [peer.model_dump(mode="json", by_alias=True, exclude_defaults=True) for peer in rule.peers]
    ports = [{"port": port.port, "protocol": port.protocol} for port in rule.ports]
    return {"ports": ports, **({"from": peers} if peers else {})}


def object_metadata(
    name: str, namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str]
) -> dict[str, Any]:
    """An object's name, namespace and labels; no annotations at all where there are none."""
    return _without_nulls(
        name=name, namespace=namespace, labels=dict(labels), annotations=dict(annotations) or None
    )


def _without_nulls(**fields: object) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}
