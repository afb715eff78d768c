"""What a deployed server listens on beside its adapters: the REST API, and metrics."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import (
    AnnotationKey,
    Duration,
    HostName,
    LabelKey,
    LabelValue,
    Namespace,
    ObjectName,
    Port,
    SecretKey,
    Settings,
)
from dittoinfra.settings.selectors import Peer


class ApiService(Settings):
    """The Service `{name}-api`."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = "ClusterIP"
    """Kind of Service."""
    annotations: dict[AnnotationKey, str] = Field(default_factory=dict)
    """Annotations, exactly these."""


class IssuerRef(Settings):
    """Who issues a certificate. Issuers of others' making have a kind and a group of their own."""

    name: ObjectName
    """Name of the issuer."""
    kind: str = "Issuer"
    """Issuer, which serves one namespace, or ClusterIssuer."""
    group: str = "cert-manager.io"
    """API group of the kind."""


class Certificate(Settings):
    """A certificate that cert-manager issues into the TLS Secret, for the names of the API's Services."""

    issuer: IssuerRef
    """Who issues it."""
    dns_names: list[HostName] = Field(default_factory=list)
    """Names beyond those of the Services."""


class ApiTls(Settings):
    """HTTPS for the API. Clients must trust the certificate: for this stack, by `api.caBundle`."""

    secret: ObjectName
    """Secret with tls.crt and tls.key; with `certificate`, the one that is written."""
    client_ca: ObjectName | None = None
    """Secret with the `ca.crt` that must have signed client certificates (mTLS); this stack then needs
    `api.clientCertificate`."""
    min_version: Literal["1.2", "1.3"] = "1.2"
    """Oldest version of TLS that is spoken."""
    certificate: Certificate | None = None
    """Let cert-manager issue it. Left out, with a warning, where the cluster does not know the kind."""


class Route(Settings):
    """A way to the API from outside the cluster."""

    host: HostName
    """Host name."""
    annotations: dict[AnnotationKey, str] = Field(default_factory=dict)
    """Annotations of the route, exactly these. An API with TLS needs what tells the proxy to speak it."""


class Ingress(Route):
    """An Ingress."""

    ingress_class: ObjectName | None = None
    """Ingress class; unset takes the cluster's default."""
    tls_secret: ObjectName | None = None
    """Secret with the certificate for the host."""


class Gateway(Route):
    """An HTTPRoute of the Gateway API. Left out, with a warning, where the cluster does not know the kind."""

    gateway: ObjectName
    """Name of the Gateway that it attaches to."""
    gateway_namespace: Namespace | None = None
    """Namespace of the Gateway; unset is the server's."""
    section: Annotated[str, Field(min_length=1, max_length=253)] | None = None
    """Listener of the Gateway; unset is any."""


class ApiEndpoint(Settings):
    """The REST API."""

    port: Port = 8080
    """Port in the container and of the Service."""
    service: ApiService = Field(default_factory=ApiService)
    """The Service in front of it."""
    tls: ApiTls | None = None
    """HTTPS; unset is plain HTTP inside the cluster."""
    ingress: Ingress | None = None
    """An Ingress to it."""
    gateway: Gateway | None = None
    """An HTTPRoute to it."""
    network_policy_from: list[Peer] | None = None
    """Who may connect where network policies are on; unset takes `networkPolicy.from`."""

    @model_validator(mode="after")
    def _one_route(self) -> "ApiEndpoint":
        if self.ingress is not None and self.gateway is not None:
            raise ValueError("ingress and gateway are two ways to the same; choose one")
        return self


class ServiceMonitor(Settings):
    """How Prometheus Operator scrapes the server."""

    enabled: bool = False
    """Declare a ServiceMonitor. Left out, with a warning, where the cluster does not know the kind."""
    interval: Duration | None = None
    """Time between scrapes; unset takes Prometheus' own."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels that Prometheus selects monitors by."""


class Metrics(Settings):
    """Prometheus metrics of the server."""

    enabled: bool = False
    """Whether the server has a metrics port and a Service for it."""
    port: Port = 9090
    """Its port."""
    path: Annotated[str, Field(pattern=r"^/\S*$")] = "/metrics"
    """Where metrics are found."""
    bearer_token: SecretKey | None = None
    """Token that scrapers must show; unset lets everyone in who reaches the port. A ServiceMonitor has it."""
    network_policy_from: list[Peer] | None = None
    """Who may scrape where network policies are on; unset takes `networkPolicy.from`."""
    service_monitor: ServiceMonitor = Field(default_factory=ServiceMonitor)
    """ServiceMonitor of Prometheus Operator."""
