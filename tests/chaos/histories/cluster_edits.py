"""The Services of one namespace, and edits of them by users and cloud controllers."""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from tests.chaos.histories.events import ServiceEdit
from tests.chaos.histories.manifests import COUNT, Manifest
from tests.chaos.histories.stack_configuration import NOTE

FOREIGN_NOTE = "cloud.example/id"
FINALIZER = "cloud.example/load-balancer"
FOREIGN_PORT = 45_999
EDITED_TARGET = 40_000
"""A port that no adapter has."""
CLOUD_SECONDS = 0.2
"""How often the cloud controller looks for Services that are being deleted, in seconds."""

Services = Mapping[str, Manifest]


class NamespaceServices:
    """The Services of a new namespace, with administrator access."""

    def __init__(self, client: httpx.Client, namespace: str) -> None:
        self._client = client
        self._path = f"/api/v1/namespaces/{namespace}/services"
        client.post("/api/v1/namespaces", json={"metadata": {"name": namespace}}).raise_for_status()
        self._ended = threading.Event()
        self._cloud: threading.Thread | None = None

    def services(self) -> Services:
        """The Services by name, without those that are being deleted; their finalizers are removed."""
        return dict(self._remaining())

    def create(self, name: str) -> None:
        """Create a Service that belongs to no adapter."""
        spec = {"ports": [{"name": "api", "port": 8080}], "selector": {"app": "dittofs-server"}}
        self._client.post(self._path, json={"metadata": {"name": name}, "spec": spec}).raise_for_status()

    def edit(self, name: str, edit: ServiceEdit) -> bool:
        """Edit a Service; False if it does not exist or the edit does not apply."""
        found = self.services().get(name)
        if found is None:
            return False
        if edit is ServiceEdit.DELETED:
            self._client.delete(f"{self._path}/{name}").raise_for_status()
            self.services()
            return True
        change = _change(found, edit)
        if change is None:
            return False
        self._patch(name, change)
        if edit is ServiceEdit.CLOUD and self._cloud is None:
            # A run waits until what it deletes is gone.
            self._cloud = threading.Thread(target=self._release_finalizers, name="cloud")
            self._cloud.start()
        if edit is ServiceEdit.CLOUD and found["spec"]["type"] == "LoadBalancer":
            address = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.10"}]}}}
            self._patch(f"{name}/status", address)
        return True

    def clear(self) -> None:
        """Delete all Services, because addresses and node ports of an API server are limited."""
        for name in self.services():
            self.edit(name, ServiceEdit.DELETED)
        self._ended.set()
        if self._cloud is not None:
            self._cloud.join()

    def _release_finalizers(self) -> None:
        while not self._ended.wait(CLOUD_SECONDS):
            self.services()

    def _remaining(self) -> Iterator[tuple[str, Manifest]]:
        for item in self._client.get(self._path).raise_for_status().json()["items"]:
            name = item["metadata"]["name"]
            if "deletionTimestamp" in item["metadata"]:
                self._patch(name, {"metadata": {"finalizers": None}}, gone=True)
            else:
                yield name, item

    def _patch(self, name: str, change: Manifest, *, gone: bool = False) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = self._client.patch(
            f"{self._path}/{name}", json=change, headers=headers, params={"fieldManager": "somebody"}
        )
        if not (gone and answer.status_code == httpx.codes.NOT_FOUND):
            answer.raise_for_status()


def _change(found: Manifest, edit: ServiceEdit) -> Manifest | None:
    metadata: Mapping[str, Any] = found["metadata"]
    annotations = metadata.get("annotations") or {}
    ports: list[Manifest] = found["spec"]["ports"]
    first, others = ports[0], ports[1:]
    match edit:
        case ServiceEdit.LABEL_CHANGED:
            return {"metadata": {"labels": {"instance": "somebody-else"}}}
        case ServiceEdit.LABEL_GONE:
            gone = dict.fromkeys(("dittofs.io/adapter-type", "dittofs.io/adapter-service"))
            return {"metadata": {"labels": gone}}
        case ServiceEdit.ANNOTATION_ADDED:
            return {"metadata": {"annotations": {"somebody.example/note": "mine"}}}
        case ServiceEdit.ANNOTATION_CHANGED if NOTE in annotations:
            return {"metadata": {"annotations": {NOTE: "somebody's"}}}
        case ServiceEdit.COUNT_GONE if COUNT in annotations:
            return {"metadata": {"annotations": {COUNT: None}}}
        case ServiceEdit.TARGET_CHANGED:
            return {"spec": {"ports": [{**first, "targetPort": EDITED_TARGET}, *others]}}
        case ServiceEdit.PORT_ADDED if all(port["name"] != "theirs" for port in ports):
            theirs = {"name": "theirs", "port": FOREIGN_PORT, "protocol": "TCP"}
            return {"spec": {"ports": [*ports, theirs]}}
        case ServiceEdit.PORT_RENAMED:
            return {"spec": {"ports": [{**first, "name": "renamed"}, *others]}}
        case ServiceEdit.CLOUD:
            return {"metadata": {"annotations": {FOREIGN_NOTE: "lb-1"}, "finalizers": [FINALIZER]}}
        case _:
            return None
