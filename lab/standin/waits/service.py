"""When a Service is ready: it has its address, and its endpoints have come to rest."""

from lab.standin.properties import Properties
from lab.standin.requests import Requests
from lab.standin.target import ObjectKey

SETTLE_SECONDS = 10.0
"""How long after a change of its endpoints a Service may still be changing."""

NO_PODS = (
    "Service does not target any Pods. Selected Pods may not be ready, or "
    "field '.spec.selector' may not match labels on any Pods"
)
NO_ADDRESS = "Service was not allocated an IP address; does your cloud provider support this?"


class ServiceWatch:
    """What is known of one Service while it is waited for."""

    def __init__(self, requests: Requests, key: ObjectKey, live: Properties) -> None:
        self._requests = requests
        self._key = key
        self._type = _spec(live).get("type") or "ClusterIP"
        self.live = live
        self._addressed = False
        self._endpoints_version: str | None = None
        self._endpoints_changed = 0.0
        self._settling: list[float] = []
        self._reached = self._pending = self._settled = False

    def look(self, now: float) -> bool:
        """Whether the Service is ready now."""
        self._see_service()
        self._see_endpoints(now)
        self._settled = any(self._endpoints_changed < moment <= now for moment in self._settling)
        return self._is_ready()

    def look_once(self) -> bool:
        """Whether the Service is ready, with its endpoints taken as they are."""
        self._see_service()
        self._see_endpoints(0.0)
        self._settled = True
        return self._is_ready()

    def is_good_enough(self) -> bool:
        """Whether the end of the time is as good as being ready: only the settling is missing."""
        return self._addressed and not self._pending

    def reasons(self) -> list[str]:
        """What is missing."""
        if self._is_headless() or self._type == "ExternalName":
            return []
        missing_address = self._type == "LoadBalancer" and not self._addressed
        return ([] if self._reached else [NO_PODS]) + ([NO_ADDRESS] if missing_address else [])

    def _see_service(self) -> None:
        live = self._requests.find(self._key)
        self._addressed = False
        if live is None:
            return
        self.live = live
        ingress = ((live.get("status") or {}).get("loadBalancer") or {}).get("ingress")
        self._addressed = bool(ingress) if self._type == "LoadBalancer" else True

    def _see_endpoints(self, now: float) -> None:
        key = ObjectKey("v1", "Endpoints", self._key.namespace, self._key.name)
        endpoints = self._requests.find(key)
        version = endpoints["metadata"]["resourceVersion"] if endpoints else None
        if version == self._endpoints_version:
            return
        self._endpoints_version, self._endpoints_changed = version, now
        # Every change starts a clock of its own, and the first that rings after the last change counts.
        self._settling.append(now + SETTLE_SECONDS)
        subsets = (endpoints or {}).get("subsets") or []
        self._reached = any(subset.get("addresses") for subset in subsets)
        self._pending = any(subset.get("notReadyAddresses") for subset in subsets)

    def _is_ready(self) -> bool:
        selects = bool(_spec(self.live).get("selector"))
        if self._type == "ExternalName" or self._is_headless() or not selects:
            return self._addressed
        return self._addressed and self._settled and not self._pending

    def _is_headless(self) -> bool:
        return _spec(self.live).get("clusterIP") == "None"


def _spec(live: Properties) -> Properties:
    spec: Properties = live.get("spec") or {}
    return spec
