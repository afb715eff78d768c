"""What to declare of the kinds that a cluster may not know. Pure.

Something is left out only on the cluster's own word that it does not serve the kind, and only while the stack
does not hold it: no outage and no vanished definition ever removes anything.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.model import HeldObject, Note
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class CustomKind:
    """A kind that somebody has to install."""

    api_version: str
    kind: str
    plural: str
    comes_with: str
    """What installs it, as people look for it."""

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
    "pgv2.percona.com/v2",
    "PerconaPGCluster",
    "perconapgclusters",
    "Percona Operator for PostgreSQL",
)


@dataclass(frozen=True, slots=True)
class CustomObject:
    """An object of such a kind that a server's settings ask for."""

    server: str
    kind: CustomKind
    name: str
    """Its name in the cluster and in the engine's state."""

    @property
    def held(self) -> HeldObject:
        """How the engine's state knows it."""
        return HeldObject(self.kind.api_version, self.kind.kind, self.name)


@dataclass(frozen=True, slots=True)
class Served:
    """The cluster knows the kind."""


@dataclass(frozen=True, slots=True)
class NotServed:
    """The cluster says that it does not know the kind."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """Nobody can tell: the cluster gave no answer."""

    why: str


Knowledge = Served | NotServed | Unasked
"""What is known of a kind in the cluster."""


@dataclass(frozen=True, slots=True)
class KindDecision:
    """Objects that are not declared, because the cluster would refuse them, and what people should know."""

    left_out: frozenset[CustomObject] = frozenset()
    notes: tuple[Note, ...] = ()

    def declares(self, wanted: CustomObject) -> bool:
        """Whether this one is declared."""
        return wanted not in self.left_out


def custom_objects(server: ServerSettings) -> tuple[CustomObject, ...]:
    """Every object of a custom kind that a server's settings ask for."""
    return tuple(_wanted(server))


def service_monitor(server: str) -> CustomObject:
    """The ServiceMonitor of a server's metrics."""
    return CustomObject(server, SERVICE_MONITOR, naming.metrics_service(server))


def certificate(server: str) -> CustomObject:
    """The certificate of a server's API."""
    return CustomObject(server, CERTIFICATE, naming.api_service(server))


def http_route(server: str) -> CustomObject:
    """The route to a server's API."""
    return CustomObject(server, HTTP_ROUTE, naming.api_service(server))


def percona_cluster(server: str) -> CustomObject:
    """The PostgreSQL cluster of a server."""
    return CustomObject(server, PERCONA_CLUSTER, naming.database_cluster(server))


def decide_kinds(
    wanted: Iterable[CustomObject], known: Mapping[CustomKind, Knowledge], held: frozenset[HeldObject]
) -> KindDecision:
    """Which of the wanted objects are left out. A kind of which nothing is known counts as served."""
    left_out: set[CustomObject] = set()
    notes: list[Note] = []
    for this in wanted:
        kind, knowledge = this.kind, known.get(this.kind, Served())
        if isinstance(knowledge, Served):
            continue
        if isinstance(knowledge, Unasked):
            text = f"{kind.kind} may be unknown to the cluster: {knowledge.why}; declared all the same"
        elif this.held in held:
            text = f"{_unknown(kind)}, but this stack holds it: kept; {_install(kind)}, or drop the setting"
        else:
            left_out.add(this)
            text = f"{_unknown(kind)}: left out; {_install(kind)}, then run again"
        notes.append(Note(this.server, text, warning=True))
    return KindDecision(frozenset(left_out), tuple(notes))


def _wanted(server: ServerSettings) -> Iterator[CustomObject]:
    deploy = server.deploy
    if deploy is None:
        return
    if deploy.metrics.enabled and deploy.metrics.service_monitor.enabled:
        yield service_monitor(server.name)
    if deploy.api.tls is not None and deploy.api.tls.certificate is not None:
        yield certificate(server.name)
    if deploy.api.gateway is not None:
        yield http_route(server.name)
    if deploy.database.percona is not None:
        yield percona_cluster(server.name)


def _unknown(kind: CustomKind) -> str:
    return f"{kind.kind} of {kind.api_version} is unknown to the cluster"


def _install(kind: CustomKind) -> str:
    return f"install {kind.comes_with}, which brings the definition {kind.definition}"
