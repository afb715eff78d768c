"""One namespace of the real Kubernetes API, seen with an administrator's eyes."""

from collections.abc import Mapping
from typing import Any

import httpx

from tests.bed.kubernetes import KubernetesApi


class Namespace:
    """Objects by the path of their kind, such as `/api/v1:services/media-api`."""

    def __init__(self, api: KubernetesApi, client: httpx.Client) -> None:
        self.name = api.namespace()
        self._client = client

    def get(self, path: str) -> dict[str, Any]:
        """One object, or a list."""
        response = self._client.get(self._url(path))
        response.raise_for_status()
        return dict(response.json())

    def services(self) -> dict[str, dict[str, Any]]:
        """Every Service there is, by name."""
        return {item["metadata"]["name"]: item for item in self.get("/api/v1:services")["items"]}

    def create(self, path: str, body: dict[str, Any]) -> None:
        """Make an object as somebody else would."""
        self._client.post(self._url(path), json=body).raise_for_status()

    def merge(self, path: str, body: dict[str, Any]) -> None:
        """Change fields as somebody else would."""
        headers = {"Content-Type": "application/merge-patch+json"}
        self._client.patch(self._url(path), json=body, headers=headers).raise_for_status()

    def _url(self, path: str) -> str:
        group, _, rest = path.partition(":")
        return f"{group}/namespaces/{self.name}/{rest}"


def identity(service: Mapping[str, Any]) -> tuple[str, str, list[int]]:
    """What clients and clouds know a Service by."""
    ports = [port.get("nodePort") for port in service["spec"]["ports"]]
    return service["metadata"]["uid"], service["spec"]["clusterIP"], ports
