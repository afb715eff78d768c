"""What a run leaves for people and pipelines. Nothing in it changes when nothing changed."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dittoinfra.decide import conditions, state_text
from dittoinfra.model import ServerDecision
from dittoinfra.settings import ServerSettings

if TYPE_CHECKING:  # importing it costs half a second, which polls are using
    from dittoinfra.declare import AdapterService, Server


def server_outputs(settings: ServerSettings, decision: ServerDecision, server: "Server") -> dict[str, Any]:
    """One server's adapters, where they are found, and how it stands."""
    return {
        "namespace": settings.namespace,
        "adapters": {
            adapter.type: {
                "state": state_text(adapter, settings.absence_polls),
                "port": adapter.port,
                "endpoints": _endpoints(server.adapters[adapter.type], settings),
                **_dns(server.adapters[adapter.type]),
            }
            for adapter in decision.adapters
        },
        "conditions": [asdict(condition) for condition in conditions(settings, decision)],
    }


def _endpoints(adapter: "AdapterService", settings: ServerSettings) -> Mapping[str, Any]:
    name = adapter.service.metadata.apply(lambda metadata: metadata.name)
    port = adapter.port
    return {
        "internal": name.apply(lambda name: f"{name}.{settings.namespace}.svc:{port}"),
        "external": adapter.addresses.apply(lambda found: [f"{_host(address)}:{port}" for address in found]),
    }


def _dns(adapter: "AdapterService") -> Mapping[str, Any]:
    if adapter.named is None:
        return {}
    names, known = adapter.named.names, list(adapter.named.addresses)
    # What was known before the run may be newer than the state's Service, and this run's update newer still.
    addresses = adapter.addresses.apply(lambda found: known or found)
    return {
        "dns": {
            "backend": names.backend,
            "hostname": names.hostname,
            "aliases": list(names.aliases),
            "addresses": addresses,
            "reason": addresses.apply(lambda found: "HostRegistered" if found else "PendingLoadBalancer"),
        }
    }


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address
