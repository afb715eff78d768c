"""The Services of one namespace, and what people and clouds do to them past the stack."""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from tests.chaos.histories.events import Hand
from tests.chaos.histories.manifests import COUNT, Manifest
from tests.chaos.histories.wishes import NOTE

FOREIGN_NOTE = "cloud.example/id"
FINALIZER = "cloud.example/load-balancer"
FOREIGN_PORT = 45_999
EDITED_TARGET = 40_000
"""A port that no adapter has."""
CLOUD_SECONDS = 0.2
"""How soon a cloud notices that a Service of its own is to go."""

Services = Mapping[str, Manifest]


class Hands:
    """A new namespace, seen with an administrator's eyes."""

    def __init__(self, client: httpx.Client, namespace: str) -> None:
        self._client = client
        self._path = f"/api/v1/namespaces/{namespace}/services"
        client.post("/api/v1/namespaces", json={"metadata": {"name": namespace}}).raise_for_status()
        self._ended = threading.Event()
        self._cloud: threading.Thread | None = None

    def services(self) -> Services:
        """Every Service by name; one that only waits for a cloud counts as gone, and the cloud lets go."""
        return dict(self._remaining())

    def create(self, name: str) -> None:
        """A Service that has nothing to do with adapters."""
        spec = {"ports": [{"name": "api", "port": 8080}], "selector": {"app": "dittofs-server"}}
        self._client.post(self._path, json={"metadata": {"name": name}, "spec": spec}).raise_for_status()

    def touch(self, name: str, hand: Hand) -> bool:
        """Do it to a Service; False where there is nothing to do it to."""
        found = self.services().get(name)
        if found is None:
            return False
        if hand is Hand.DELETED:
            self._client.delete(f"{self._path}/{name}").raise_for_status()
            self.services()
            return True
        change = _change(found, hand)
        if change is None:
            return False
        self._edit(name, change)
        if hand is Hand.CLOUD and self._cloud is None:
            # A run waits until what it deletes is gone.
            self._cloud = threading.Thread(target=self._let_go, name="cloud")
            self._cloud.start()
        if hand is Hand.CLOUD and found["spec"]["type"] == "LoadBalancer":
            address = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.10"}]}}}
            self._edit(f"{name}/status", address)
        return True

    def clear(self) -> None:
        """Give back every address and node port: an API server has only so many."""
        for name in self.services():
            self.touch(name, Hand.DELETED)
        self._ended.set()
        if self._cloud is not None:
            self._cloud.join()

    def _let_go(self) -> None:
        while not self._ended.wait(CLOUD_SECONDS):
            self.services()

    def _remaining(self) -> Iterator[tuple[str, Manifest]]:
        for item in self._client.get(self._path).raise_for_status().json()["items"]:
            name = item["metadata"]["name"]
            if "deletionTimestamp" in item["metadata"]:
                self._edit(name, {"metadata": {"finalizers": None}}, gone=True)
            else:
                yield name, item

    def _edit(self, name: str, change: Manifest, *, gone: bool = False) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = self._client.patch(
            f"{self._path}/{name}", json=change, headers=headers, params={"fieldManager": "somebody"}
        )
        if not (gone and answer.status_code == httpx.codes.NOT_FOUND):
            answer.raise_for_status()


def _change(found: Manifest, hand: Hand) -> Manifest | None:
    metadata: Mapping[str, Any] = found["metadata"]
    annotations = metadata.get("annotations") or {}
    ports: list[Manifest] = found["spec"]["ports"]
    first, others = ports[0], ports[1:]
    match hand:
        case Hand.LABEL_CHANGED:
            return {"metadata": {"labels": {"instance": "somebody-else"}}}
        case Hand.LABEL_GONE:
            gone = dict.fromkeys(("dittofs.io/adapter-type", "dittofs.io/adapter-service"))
            return {"metadata": {"labels": gone}}
        case Hand.ANNOTATION_ADDED:
            return {"metadata": {"annotations": {"somebody.example/note": "mine"}}}
        case Hand.ANNOTATION_CHANGED if NOTE in annotations:
            return {"metadata": {"annotations": {NOTE: "somebody's"}}}
        case Hand.COUNT_GONE if COUNT in annotations:
            return {"metadata": {"annotations": {COUNT: None}}}
        case Hand.TARGET_CHANGED:
            return {"spec": {"ports": [{**first, "targetPort": EDITED_TARGET}, *others]}}
        case Hand.PORT_ADDED if all(port["name"] != "theirs" for port in ports):
            theirs = {"name": "theirs", "port": FOREIGN_PORT, "protocol": "TCP"}
            return {"spec": {"ports": [*ports, theirs]}}
        case Hand.PORT_RENAMED:
            return {"spec": {"ports": [{**first, "name": "renamed"}, *others]}}
        case Hand.CLOUD:
            return {"metadata": {"annotations": {FOREIGN_NOTE: "lb-1"}, "finalizers": [FINALIZER]}}
        case _:
            return None
