"""Events as Kubernetes Events on the objects, for `kubectl describe` and whoever watches them."""

import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from dittoinfra.cluster import Cluster, ClusterError
from dittoinfra.cluster.objects import RefusedByClusterError, create_object
from dittoinfra.events.event import Event

CONTROLLER = "dittoinfra.io/stack"
"""Who reports; part of what people select Events by."""

_LONGEST_NOTE = 1024
_LONGEST_INSTANCE = 128
_LONGEST_NAME = 253
_HOME_OF_THE_HOMELESS = "default"
"""Where Kubernetes keeps Events about objects without a namespace."""

Connecting = Callable[[str, Mapping[str, str]], Cluster | None]
"""The cluster that a stack's provider uses, from its name and configuration; None where it has none."""


class KubernetesEvents:
    """Writes Events into the cluster of each stack; what cannot be written is said once and stops nothing."""

    def __init__(self, connecting: Connecting, on_trouble: Callable[[str], None]) -> None:
        self._connecting = connecting
        self._on_trouble = on_trouble
        self._clusters: dict[str, Cluster | None] = {}
        self._troubled: set[str] = set()
        self._configs: dict[str, Mapping[str, str]] = {}
        self._writing = threading.Lock()

    def begin(self, stack: str, config: Mapping[str, str]) -> None:
        """Remember where the provider of this stack finds its cluster, and try anew what failed before."""
        self._leave(stack)
        with self._writing:
            self._clusters.pop(stack, None)
            self._troubled.discard(stack)
            self._configs[stack] = {k: v for k, v in config.items() if k.startswith("kubernetes:")}

    def tell(self, event: Event) -> None:
        """Write one Event; a preview's is none, for nothing has happened."""
        if event.planned:
            return
        try:
            cluster = self._cluster(event.stack)
            if cluster is not None:
                create_object(cluster, manifest(event))
        except RefusedByClusterError as error:
            self._trouble(event.stack, error)
        except ClusterError as error:
            # No answer today: every further one would cost its time again.
            self._trouble(event.stack, error)
            self._leave(event.stack)

    def close(self) -> None:
        """Give back the connections."""
        for stack in tuple(self._clusters):
            self._leave(stack)

    def _cluster(self, stack: str) -> Cluster | None:
        with self._writing:
            if stack in self._clusters:
                return self._clusters[stack]
            # Whatever comes of it is remembered before it can fail.
            self._clusters[stack] = None
            self._clusters[stack] = self._connecting(stack, self._configs.get(stack, {}))
            return self._clusters[stack]

    def _leave(self, stack: str) -> None:
        with self._writing:
            cluster, self._clusters[stack] = self._clusters.get(stack), None
        if cluster is not None:
            cluster.close()

    def _trouble(self, stack: str, error: ClusterError) -> None:
        if stack not in self._troubled:
            self._troubled.add(stack)
            self._on_trouble(f"{stack}: no Kubernetes Events: {error}; the run goes on without them")


def manifest(event: Event) -> dict[str, Any]:
    """An event as the Kubernetes API takes it."""
    about = event.object
    token = secrets.token_hex(8)
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": f"{about.name[: _LONGEST_NAME - len(token) - 1]}.{token}",
            "namespace": about.namespace or _HOME_OF_THE_HOMELESS,
        },
        "eventTime": event.time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "reportingController": CONTROLLER,
        "reportingInstance": f"dittoinfra-{event.stack}"[:_LONGEST_INSTANCE],
        "action": event.action,
        "reason": event.reason,
        "type": event.type,
        "note": event.message.encode()[:_LONGEST_NOTE].decode(errors="ignore"),
        "regarding": {
            key: value for key, value in about.model_dump(by_alias=True).items() if value is not None
        },
    }
