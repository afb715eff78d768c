"""Which way leads to a server's API."""

from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.settings.inside import PortForward, filled
from dittoinfra.settings.server import ServerSettings

DEFAULT_PORT = 8080
"""What a DittoFS server listens on when nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class ByUrl:
    """The API has an address that we can reach."""

    url: str


@dataclass(frozen=True, slots=True)
class PodTarget:
    """A Pod by its name."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class ServiceTarget:
    """Any ready Pod behind a Service."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class ByPortForward:
    """The API is reached through the Kubernetes API."""

    target: PodTarget | ServiceTarget
    port: int
    url: str
    """The address that the API has inside the cluster: its host is what a certificate must name."""
    written: bool
    """Somebody asked for it; else it is what follows from where the server is."""


Way = ByUrl | ByPortForward


def way_to(server: ServerSettings, *, in_cluster: bool = False) -> Way | None:
    """The way to a server's API; None where it is not asked.

    A server that this stack deploys, or that was found in the cluster (`in_cluster`), is reached through the
    cluster unless something else is written.
    """
    api = server.api
    if api.url is not None:
        return ByUrl(filled(api.url, server.name, server.namespace))
    if api.port_forward is not None:
        return _forward(server, api.port_forward, written=True)
    refused = "port_forward" in api.model_fields_set
    if (server.deploy is not None or in_cluster) and not refused:
        return _forward(server, PortForward(), written=False)
    return None


def _forward(server: ServerSettings, forward: PortForward, *, written: bool) -> ByPortForward:
    namespace, deployed = server.namespace, server.deploy.api if server.deploy is not None else None
    port = forward.port or (deployed.port if deployed else DEFAULT_PORT)
    scheme = forward.scheme or ("https" if deployed and deployed.tls else "http")
    host = forward.tls_name or naming.api_host_name(server.name, namespace)
    kind, _, name = filled(forward.target, server.name, namespace).partition("/")
    target = ServiceTarget(namespace, name) if kind == "service" else PodTarget(namespace, name)
    return ByPortForward(target, port, f"{scheme}://{host}:{port}", written)
