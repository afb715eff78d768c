"""Which objects to declare of kinds that a cluster may not serve. Pure.

An object is left out only if the cluster answers that it does not serve the kind, and only while the stack
does not hold the object: no outage and no deleted definition ever removes anything.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dittoinfra import naming
from dittoinfra.model import Note
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.base import duration_text
from dittoinfra.settings.deploy import Percona
from dittoinfra.settings.deploy_api import Gateway
from dittoinfra.settings.layers import merge


@dataclass(frozen=True, slots=True)
class CustomKind:
    """A kind that is not built into Kubernetes and has to be installed."""

    api_version: str
    kind: str
    plural: str
    comes_with: str
    """What installs it, under the name that users search for."""

    @property
    def definition(self) -> str:
        """Name of its CustomResourceDefinition."""
        return f"{self.plural}.{self.api_version.partition('/')[0]}"


SERVICE_MONITOR = CustomKind(
    "monitoring.coreos.com/v1", "ServiceMonitor", "servicemonitors", "Prometheus Operator"
)
CERTIFICATE = CustomKind("cert-manager.io/v1", "Certificate", "certificates", "cert-manager")
HTTP_ROUTE = CustomKind("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes", "the Gateway API")
PERCONA_CLUSTER = CustomKind(
    "pgv2.percona.com/v2", "PerconaPGCluster", "perconapgclusters", "Percona Operator for PostgreSQL"
)
HOST_MAPPING = CustomKind(
    "router-hosts.fzymgc.house/v1alpha1", "HostMapping", "hostmappings", "the operator of router-hosts"
)


@dataclass(frozen=True, slots=True)
class CustomObject:
    """An object of such a kind that a server's settings ask for."""

    server: str
    kind: CustomKind
    name: str
    """Its name in the cluster and in the engine's state."""
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)
    spec: Mapping[str, Any] = field(default_factory=dict, compare=False)
    annotations: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def held(self) -> HeldObject:
        """How the engine's state knows it."""
        return HeldObject(self.kind.api_version, self.kind.kind, self.name)


@dataclass(frozen=True, slots=True)
class Unasked:
    """The cluster gave no answer."""

    why: str


Knowledge = bool | Unasked
"""Whether the cluster serves a kind, or why that is unknown."""


@dataclass(frozen=True, slots=True)
class KindDecision:
    """Objects that are not declared, because the cluster would refuse them, and notes for the user."""

    left_out: frozenset[CustomObject] = frozenset()
    notes: tuple[Note, ...] = ()

    def declares(self, wanted: CustomObject) -> bool:
        """Whether this one is declared."""
        return wanted not in self.left_out


def custom_objects(server: ServerSettings) -> Iterator[CustomObject]:
    """Every object of a custom kind that a server's settings ask for."""
    deploy = server.deploy
    if deploy is None:
        return
    made = partial(CustomObject, server.name)
    api = naming.component_labels(server.name, "api", server.labels)
    if deploy.metrics.enabled and deploy.metrics.service_monitor.enabled:
        extra = {**server.labels, **deploy.metrics.service_monitor.labels}
        labels = naming.metrics_labels(server.name, extra)
        spec = _service_monitor_spec(server, deploy)
        yield made(SERVICE_MONITOR, naming.metrics_service(server.name), labels, spec)
    if (tls := deploy.api.tls) is not None and tls.certificate is not None:
        names = naming.api_host_names(server.name, server.namespace) + tls.certificate.dns_names
        spec = {
            "secretName": tls.secret,
            "dnsNames": list(dict.fromkeys(names)),
            "usages": ["digital signature", "key encipherment", "server auth"],
            "issuerRef": tls.certificate.issuer.model_dump(),
        }
        yield made(CERTIFICATE, naming.api_service(server.name), api, spec)
    if (route := deploy.api.gateway) is not None:
        name, spec = naming.api_service(server.name), _http_route_spec(server, deploy, route)
        yield made(HTTP_ROUTE, name, api, spec, route.annotations)
    if deploy.database.percona is not None:
        labels = naming.component_labels(server.name, "database", server.labels)
        spec = percona_spec(deploy.database.percona)
        yield made(PERCONA_CLUSTER, naming.database_cluster(server.name), labels, spec)


def host_mapping(server: str, adapter_type: str) -> CustomObject:
    """What asks router-hosts for an adapter's names, where its Service does not."""
    return CustomObject(server, HOST_MAPPING, naming.adapter_service(server, adapter_type))


def decide_kinds(
    wanted: Iterable[CustomObject], known: Mapping[CustomKind, Knowledge], held: Container[HeldObject]
) -> KindDecision:
    """Which of the wanted objects are left out. A kind of which nothing is known counts as served."""
    left_out: set[CustomObject] = set()
    notes: list[Note] = []
    for this in wanted:
        kind, knowledge = this.kind, known.get(this.kind, True)
        if knowledge is True:
            continue
        unknown = f"{kind.kind} of {kind.api_version} is unknown to the cluster"
        install = f"install {kind.comes_with}, which brings the definition {kind.definition}"
        if isinstance(knowledge, Unasked):
            text = f"{kind.kind} may be unknown to the cluster: {knowledge.why}; declared all the same"
        elif this.held in held:
            text = f"{unknown}, but this stack holds it: kept; {install}, or drop the setting"
        else:
            left_out.add(this)
            text = f"{unknown}: left out; {install}, then run again"
        notes.append(Note(this.server, text, warning=True))
    return KindDecision(frozenset(left_out), tuple(notes))


def _service_monitor_spec(server: ServerSettings, deploy: Deploy) -> dict[str, Any]:
    endpoint: dict[str, Any] = {"port": "metrics", "path": deploy.metrics.path}
    if (bearer := deploy.metrics.bearer_token) is not None:
        token = {"name": bearer.secret, "key": bearer.key}
        endpoint["authorization"] = {"type": "Bearer", "credentials": token}
    if (interval := deploy.metrics.service_monitor.interval) is not None:
        endpoint["interval"] = duration_text(interval)
    selector = {**naming.selector(server.name), naming.COMPONENT_LABEL: "metrics"}
    return {"selector": {"matchLabels": selector}, "endpoints": [endpoint]}


def _http_route_spec(server: ServerSettings, deploy: Deploy, route: Gateway) -> dict[str, Any]:
    gateway = {
        "name": route.gateway,
        **({"namespace": route.gateway_namespace} if route.gateway_namespace else {}),
        **({"sectionName": route.section} if route.section else {}),
    }
    backend = {"name": naming.api_service(server.name), "port": deploy.api.port}
    return {"parentRefs": [gateway], "hostnames": [route.host], "rules": [{"backendRefs": [backend]}]}


def percona_spec(settings: Percona) -> dict[str, Any]:
    """The spec of a PerconaPGCluster.

    `crVersion` is unset: the operator fills in its own, and an unknown one stops it.
    """
    claim: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": settings.storage}},
    }
    if settings.storage_class is not None:
        claim["storageClassName"] = settings.storage_class
    image = {"image": settings.image} if settings.image is not None else {}
    return merge(
        {
            **image,
            "postgresVersion": settings.postgres_version,
            "instances": [{"name": "instance1", "replicas": settings.replicas, "dataVolumeClaimSpec": claim}],
            "users": [{"name": naming.POSTGRES_USER, "databases": [settings.database]}],
            # From PostgreSQL 15 on, a plain user may create tables in a schema of its own only.
            "autoCreateUserSchema": True,
            # Without a repository, the operator refuses backups that are not disabled.
            "backups": {"enabled": False},
        },
        settings.spec,
    )
