"""A namespace of the real Kubernetes API, with administrator access."""

from collections.abc import Mapping
from typing import Any

import httpx


class Namespace:
    """Objects by the path of their kind, such as `api/v1:services/media-api`."""

    def __init__(self, name: str, client: httpx.Client) -> None:
        self.name = name
        self._client = client

    def get(self, path: str) -> dict[str, Any]:
        """One object, or a list."""
        response = self._client.get(self._url(path))
        response.raise_for_status()
        return dict(response.json())

    def services(self) -> dict[str, dict[str, Any]]:
        """The Services by name."""
        return {item["metadata"]["name"]: item for item in self.get("api/v1:services")["items"]}

    def create(self, path: str, body: dict[str, Any], manager: str | None = None) -> dict[str, Any]:
        """Create an object; fail with the API's message."""
        query = {"fieldManager": manager} if manager is not None else None
        response = self._client.post(self._url(path), json=body, params=query)
        assert response.is_success, response.json()["message"]
        return dict(response.json())

    def merge(self, path: str, body: dict[str, Any], manager: str = "somebody") -> None:
        """Change fields with a merge patch, under the name of a field manager."""
        headers, query = {"Content-Type": "application/merge-patch+json"}, {"fieldManager": manager}
        self._client.patch(self._url(path), json=body, headers=headers, params=query).raise_for_status()

    def strategic_merge(self, path: str, body: dict[str, Any]) -> None:
        """Change an entry of a list, as `kubectl set image` does."""
        headers = {"Content-Type": "application/strategic-merge-patch+json"}
        self._client.patch(self._url(path), json=body, headers=headers).raise_for_status()

    def json(self, path: str, patch: str) -> None:
        """Change an object with a JSON patch, as `kubectl patch --type json` does."""
        headers = {"Content-Type": "application/json-patch+json"}
        self._client.patch(self._url(path), content=patch, headers=headers).raise_for_status()

    def delete(self, path: str) -> None:
        """Delete an object."""
        self._client.delete(self._url(path)).raise_for_status()

    def label(self, labels: dict[str, str]) -> None:
        """Label the namespace itself."""
        headers = {"Content-Type": "application/merge-patch+json"}
        body = {"metadata": {"labels": labels}}
        self._client.patch(f"/api/v1/namespaces/{self.name}", json=body, headers=headers).raise_for_status()

    def _url(self, path: str) -> str:
        group, _, rest = path.partition(":")
        return f"/{group}/namespaces/{self.name}/{rest}"


def identity(service: Mapping[str, Any]) -> tuple[str, str, list[int]]:
    """The identity of a Service: what clients and clouds depend on."""
    ports = [port.get("nodePort") for port in service["spec"]["ports"]]
    return service["metadata"]["uid"], service["spec"]["clusterIP"], ports
