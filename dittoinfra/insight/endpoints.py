"""Where clients find an adapter, read off its Service. Pure."""

from collections.abc import Mapping
from typing import Any

from dittoinfra.blocks import block
from dittoinfra.insight.held import place
from dittoinfra.insight.views import Endpoints
from dittoinfra.memory import ingress_addresses
from dittoinfra.naming import port_name


def endpoints(adapter_type: str, service: Mapping[str, Any], *, live: bool) -> Endpoints | None:
    """Inside and outside the cluster; None for a Service that carries no port."""
    port = _client_port(adapter_type, service)
    if port is None:
        return None
    namespace, name = place(service)
    return Endpoints(
        internal=f"{name}.{namespace}.svc:{port}",
        external=tuple(f"{_host(address)}:{port}" for address in ingress_addresses(service)),
        live=live,
    )


def _client_port(adapter_type: str, service: Mapping[str, Any]) -> int | None:
    ports = block(service, "spec").get("ports") or ()
    name = port_name(f"adapter-{adapter_type}")
    return next((int(port["port"]) for port in ports if port.get("name") == name), None)


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address
