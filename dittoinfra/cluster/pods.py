"""Which Pod a port-forward goes to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from dittoinfra.cluster.errors import NotReadyError, NotThereError
from dittoinfra.cluster.live import LiveCluster
from dittoinfra.cluster.rules import Rule
from dittoinfra.visible import visible

MOST_SLICES = 20
"""Of a Service with more than a thousand Pods any twenty slices will do."""


def pod_rule(name: str) -> Rule:
    """What looking at a Pod takes."""
    return Rule("get", "pods", name)


def slices_rule() -> Rule:
    """What looking behind a Service takes."""
    return Rule("list", "endpointslices", group="discovery.k8s.io")


async def running_pod(cluster: LiveCluster, namespace: str, name: str) -> str:
    """The name of a Pod that can be connected to, or `ClusterError`."""
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}"
    try:
        pod = await cluster.get(path, pod_rule(name), namespace)
    except NotThereError:
        raise NotThereError(
            f"there is no Pod {name} in namespace {namespace}; deploy the server, or name its Pod in "
            "api.portForward.target"
        ) from None
    trouble = _trouble(pod)
    if trouble:
        raise NotReadyError(f"Pod {name} in namespace {namespace} {trouble}; run again when it runs")
    return name


async def pod_behind(cluster: LiveCluster, namespace: str, service: str) -> str:
    """The name of a ready Pod behind a Service, always the same of several, or `ClusterError`."""
    found = await cluster.get(
        f"/apis/discovery.k8s.io/v1/namespaces/{quote(namespace, safe='')}/endpointslices",
        slices_rule(),
        namespace,
        labelSelector=f"kubernetes.io/service-name={service}",
        limit=str(MOST_SLICES),
    )
    slices = found.get("items") or []
    if not slices:
        raise NotThereError(
            f"there is no Service {service} with Pods in namespace {namespace}; check api.portForward.target"
        )
    ready = sorted(_ready_pods(slices))
    if not ready:
        raise NotReadyError(
            f"no Pod behind Service {service} in namespace {namespace} is ready; run again when one is"
        )
    return ready[0]


def _ready_pods(slices: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for endpoint in (endpoint for part in slices for endpoint in part.get("endpoints") or []):
        target = endpoint.get("targetRef") or {}
        # Unknown counts as ready, says the API.
        if target.get("kind") == "Pod" and (endpoint.get("conditions") or {}).get("ready") is not False:
            yield str(target["name"])


def _trouble(pod: Mapping[str, Any]) -> str:
    """Why a Pod cannot be connected to, in the cluster's words; empty when it can."""
    status = pod.get("status") or {}
    if pod.get("metadata", {}).get("deletionTimestamp"):
        return "is being deleted"
    phase = status.get("phase", "Unknown")
    if phase != "Running":
        return f"is {phase}{_because(status)}"
    return ""


def _because(status: Mapping[str, Any]) -> str:
    waiting = [(c.get("state") or {}).get("waiting") or {} for c in status.get("containerStatuses") or []]
    reasons = [str(state["reason"]) for state in waiting if state.get("reason")]
    reasons += [
        str(condition.get("message") or condition.get("reason") or "not scheduled")
        for condition in status.get("conditions") or []
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False"
    ]
    return f" ({' '.join(visible(reasons[0]).split())})" if reasons else ""
