"""The two namespaces of a history: the Services of adapters, and edits of them by others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.manifests import COUNT, data_port_name, service_name
from tests.chaos.histories.ours.configuration import COLD
from tests.chaos.histories.ours.events import FOUND, HERE, ServiceEdit

MERGE: Final = {"Content-Type": "application/merge-patch+json"}
FINALIZER: Final = "lens.example/held"
EDITED_TARGET: Final = 40_000
"""A port that no adapter has."""


@dataclass(frozen=True, slots=True)
class LiveService:
    """An adapter's Service in the cluster."""

    uid: str
    version: str
    port: int | None
    """Where its data port leads."""
    count: int
    terminating: bool


Services = Mapping[tuple[int, AdapterName], LiveService]
"""By namespace and adapter."""

ContainerPorts = Mapping[str, int]
"""By the type of the adapter."""


class Cluster:
    """New namespaces, with administrator access."""

    def __init__(self, client: httpx.Client, namespaces: tuple[str, ...]) -> None:
        self._client = client
        self.namespaces = namespaces
        for name in namespaces:
            client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()

    def services(self) -> Services:
        """The Services of all adapters."""
        return dict(self._services())

    def container_ports(self, server: str) -> ContainerPorts | None:
        """The ports of a deployed server's container for its adapters; None if it is not deployed."""
        path = f"/apis/apps/v1/namespaces/{self.namespaces[HERE]}/statefulsets/{server}"
        answer = self._client.get(path)
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        [container] = answer.raise_for_status().json()["spec"]["template"]["spec"]["containers"]
        named = ((port["name"].partition("adapter-")[2], port) for port in container["ports"])
        return {kind: port["containerPort"] for kind, port in named if kind}

    def edit(self, where: int, adapter: AdapterName, edit: ServiceEdit, manager: str) -> bool:
        """Edit a Service; False if it does not exist or the edit does not apply."""
        live = self.services().get((where, adapter))
        if live is None or live.terminating is not (edit is ServiceEdit.RELEASE):
            return False
        path = f"{self._path(where)}/{service_name(adapter)}"
        match edit:
            case ServiceEdit.LABEL:
                self._patch(path, {"metadata": {"labels": {"dittofs.io/adapter-type": "theirs"}}}, manager)
            case ServiceEdit.TARGET:
                [first, *others] = self._client.get(path).raise_for_status().json()["spec"]["ports"]
                ports = [{**first, "targetPort": EDITED_TARGET}, *others]
                self._patch(path, {"spec": {"ports": ports}}, manager)
            case ServiceEdit.COUNT:
                self._patch(path, {"metadata": {"annotations": {COUNT: "1"}}}, manager)
            case ServiceEdit.DELETE:
                self._client.delete(path).raise_for_status()
            case ServiceEdit.HOLD:
                self._patch(path, {"metadata": {"finalizers": [FINALIZER]}}, manager)
                self._client.delete(path).raise_for_status()
            case ServiceEdit.RELEASE:
                self._patch(path, {"metadata": {"finalizers": None}}, manager)
        return True

    def list_found(self, *, listed: bool) -> None:
        """Create or delete the StatefulSet by which the found server is found."""
        path = f"/apis/apps/v1/namespaces/{self.namespaces[HERE]}/statefulsets"
        if listed:
            self._client.post(path, json=_stateful_set(FOUND)).raise_for_status()
        else:
            now = {"propagationPolicy": "Background"}
            self._client.request("DELETE", f"{path}/{FOUND}", json=now).raise_for_status()

    def clear(self) -> None:
        """Delete all Services, because the addresses of an API server are limited."""
        for where in range(len(self.namespaces)):
            self._client.delete(self._path(where)).raise_for_status()
        for (where, adapter), live in self.services().items():
            if live.terminating:
                path = f"{self._path(where)}/{service_name(adapter)}"
                self._patch(path, {"metadata": {"finalizers": None}}, "kubectl")

    def _services(self) -> Iterator[tuple[tuple[int, AdapterName], LiveService]]:
        for where in range(len(self.namespaces)):
            for item in self._client.get(self._path(where)).raise_for_status().json()["items"]:
                server, of_adapter, kind = item["metadata"]["name"].partition("-adapter-")
                if of_adapter:
                    yield (where, AdapterName(server, kind)), _live(kind, item)

    def _path(self, where: int) -> str:
        return f"/api/v1/namespaces/{self.namespaces[where]}/services"

    def _patch(self, path: str, change: Mapping[str, Any], manager: str) -> None:
        self._client.patch(
            path, json=change, headers=MERGE, params={"fieldManager": manager}
        ).raise_for_status()


def _live(kind: str, item: Mapping[str, Any]) -> LiveService:
    metadata = item["metadata"]
    ports = [p["targetPort"] for p in item["spec"]["ports"] if p.get("name") == data_port_name(kind)]
    return LiveService(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        port=ports[0] if ports else None,
        count=int((metadata.get("annotations") or {}).get(COUNT, "0")),
        terminating="deletionTimestamp" in metadata,
    )


def _stateful_set(server: str) -> dict[str, Any]:
    labels = {"app": "dittofs-server", "instance": server}
    container = {"name": "dittofs", "image": "theirs:1"}
    return {
        "metadata": {"name": server, "labels": {**labels, **COLD}},
        "spec": {
            "serviceName": f"{server}-headless",
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
