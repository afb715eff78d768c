"""Whether a client can connect to an adapter, hop by hop, from what the cluster says now. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from dittoinfra.decide.endpoints import data_port, service_endpoints
from dittoinfra.decide.explanation import Condition
from dittoinfra.nested_values import block
from dittoinfra.object_model import SERVICE_NAME_LABEL, endpoint_is_ready

READY = "Ready"


def adapter_ready(
    adapter_type: str,
    port: int,
    service: Mapping[str, Any] | None,
    slices: Sequence[Mapping[str, Any]] | str,
) -> Condition:
    """The first hop that is missing between a client and an adapter that listens on this port.

    `slices` are the EndpointSlices of the Service's namespace, or why they are not known.
    """
    if service is None:
        return _no("ServiceMissing", "it has no Service")
    metadata = block(service, "metadata")
    name = str(metadata.get("name"))
    if metadata.get("deletionTimestamp"):
        return _no("ServiceTerminating", f"Service {name} is being deleted")
    data, endpoints = data_port(service, adapter_type), service_endpoints(service, adapter_type)
    if data is None or endpoints is None:
        return _no("PortMissing", f"Service {name} has no port for it")
    target = data.get("targetPort", data["port"])
    if isinstance(target, int | float) and target != port:
        return _no("PortMoved", f"Service {name} leads to port {target:g}, and the server listens on {port}")
    if endpoints.awaits_address:
        return _no("PendingLoadBalancer", f"Service {name} has no address from its load balancer yet")
    if isinstance(slices, str):
        return Condition(READY, "Unknown", "EndpointsUnknown", slices)
    if not any(leads_to_pod(each, name, str(data.get("name"))) for each in slices):
        return _no("NoReadyEndpoint", f"no ready Pod is behind Service {name}")
    return Condition(READY, "True", READY, "a client can connect")


def server_ready(
    adapters: Mapping[str, Condition], stopped: Sequence[str] = (), *, holds: bool = False
) -> Condition:
    """Whether clients can connect to every adapter of a server, and no run is stopped because of it.

    With `holds`, a run that would be stopped changes nothing instead (`onRefusal: hold`).
    """
    if stopped:
        return _no("Held" if holds else "Stopped", f"the next run would {stop_words(holds)}: {stopped[0]}")
    lacking = [(name, ready) for name, ready in sorted(adapters.items()) if ready.status != "True"]
    if not lacking:
        names = ", ".join(sorted(adapters)) or "no adapters are enabled"
        return Condition(READY, "True", READY, names)
    # What is known to be missing comes before what is not known.
    first = min((ready for _, ready in lacking), key=lambda ready: ready.status)
    told = "; ".join(f"{name}: {ready.message}" for name, ready in lacking)
    return Condition(READY, first.status, first.reason, told)


def stop_words(holds: bool) -> str:
    """What a refused run does, in the words of `status` and `drift`."""
    return "change nothing (onRefusal: hold)" if holds else "stop"


def _no(reason: str, message: str) -> Condition:
    return Condition(READY, "False", reason, message)


def leads_to_pod(part: Mapping[str, Any], service: str, port: str) -> bool:
    """Whether a slice of the Service has a ready endpoint that serves the port."""
    if block(part, "metadata", "labels").get(SERVICE_NAME_LABEL) != service:
        return False
    if not any(each.get("name") == port for each in part.get("ports") or ()):
        return False
    return any(endpoint_is_ready(each) and each.get("addresses") for each in part.get("endpoints") or ())
