"""An event, and where events are written: lines of JSON, and Kubernetes Events on the objects."""

import secrets
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, Protocol, TextIO

from pydantic import Field

from dittoinfra.json_document import Document
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError
from dittoinfra.kubernetes.objects import create_object

_LONGEST_NOTE = 1024
_LONGEST_INSTANCE = 128
_LONGEST_NAME = 253


class EventObject(Document):
    """The Kubernetes object that an event is about."""

    api_version: str
    """API group and version, such as `v1` or `apps/v1`."""
    kind: str
    """Kind of the object."""
    namespace: str | None
    """Null where objects of this kind have no namespace."""
    name: str
    """Name in the cluster."""
    uid: str | None
    """Null where the cluster has not made the object, or manifests are only written."""


class Event(Document):
    """One thing that happened, or would happen, to one Kubernetes object."""

    time: datetime
    """When the engine said so, in UTC."""
    stack: str
    """Stack whose run it was."""
    server: str | None
    """DittoFS server that the object is declared for; null for an object of the stack itself."""
    adapter: str | None
    """Type of the adapter that the object is declared for; null for an object of the server itself."""
    reason: str = Field(pattern=r"^[A-Z][A-Za-z0-9]*$")
    """What happened in one word, the DittoFS operator's where it has one: `AdapterServiceCreated`."""
    type: Literal["Normal", "Warning"]
    """`Warning` where something could not be done."""
    action: Literal["Create", "Update", "Delete"]
    """What the engine did to the object; for a host name, what became of it."""
    cause: str | None
    """Why, as the run decided it: `disabled on the server`; null where it had no reason of its own."""
    message: str
    """What happened, for people, in one line."""
    planned: bool
    """Whether a preview tells it: then it has not happened."""
    object: EventObject
    """What it happened to."""


class Sink(Protocol):
    """Where events go. Called from the threads of several stacks at once; never raises."""

    def begin(self, stack: str) -> None:
        """A run of a stack begins."""

    def write(self, event: Event) -> None:
        """Write one event."""


class JsonLines:
    """Flushes every event at once, so that a reader who follows the file sees it as it happens."""

    def __init__(self, stream: TextIO, warn: Callable[[str], None]) -> None:
        self._stream = stream
        self._warn = warn
        self._lock = threading.Lock()
        self._gave_up = False

    def begin(self, stack: str) -> None:
        """Nothing to prepare."""

    def write(self, event: Event) -> None:
        """Write one line; after an error nothing more is written."""
        with self._lock:
            if self._gave_up:
                return
            try:
                self._stream.write(event.model_dump_json() + "\n")
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._gave_up = True
                self._warn(f"events are not written any more: {error}; the run goes on without them")


class KubernetesEvents:
    """Writes Events into the cluster of each stack; a failure is reported once and stops nothing.

    `connect_to` gives the cluster of a stack's provider, or None where that only writes manifests.
    """

    def __init__(self, connect_to: Callable[[str], Cluster | None], warn: Callable[[str], None]) -> None:
        self._connect_to = connect_to
        self._warn = warn
        self._clusters: dict[str, Cluster | None] = {}
        self._warned: set[str] = set()
        self._unconnected: set[str] = set()
        """The stacks whose cluster has not been connected to in this run."""
        self._lock = threading.Lock()

    def begin(self, stack: str) -> None:
        """Connect anew, and retry what failed before."""
        self._disconnect(stack)
        with self._lock:
            self._warned.discard(stack)
            self._unconnected.add(stack)

    def write(self, event: Event) -> None:
        """Write one Event; none for a preview, in which nothing has happened."""
        if event.planned:
            return
        try:
            cluster = self._cluster(event.stack)
            if cluster is not None:
                create_object(cluster, manifest(event))
        except ClusterError as error:
            if event.stack not in self._warned:
                self._warned.add(event.stack)
                self._warn(f"{event.stack}: no Kubernetes Events: {error}; the run goes on without them")
            if not isinstance(error, RefusedByClusterError):
                # The cluster does not answer: every further request would cost another timeout.
                self._disconnect(event.stack)

    def close(self) -> None:
        """Close the connections."""
        for stack in tuple(self._clusters):
            self._disconnect(stack)

    def _cluster(self, stack: str) -> Cluster | None:
        with self._lock:
            if stack in self._unconnected:
                # Before the connection can fail, so that it is tried once.
                self._unconnected.remove(stack)
                self._clusters[stack] = self._connect_to(stack)
            return self._clusters.get(stack)

    def _disconnect(self, stack: str) -> None:
        with self._lock:
            cluster = self._clusters.pop(stack, None)
        if cluster is not None:
            cluster.close()


def manifest(event: Event) -> dict[str, Any]:
    """An event as the Kubernetes API takes it."""
    about = event.object
    token = secrets.token_hex(8)
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": f"{about.name[: _LONGEST_NAME - len(token) - 1]}.{token}",
            # Where Kubernetes keeps Events about objects without a namespace.
            "namespace": about.namespace or "default",
        },
        "eventTime": event.time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "reportingController": "dittoinfra.io/stack",
        "reportingInstance": f"dittoinfra-{event.stack}"[:_LONGEST_INSTANCE],
        "action": event.action,
        "reason": event.reason,
        "type": event.type,
        "note": event.message.encode()[:_LONGEST_NOTE].decode(errors="ignore"),
        "regarding": about.model_dump(exclude_none=True),
    }
