"""What the real Kubernetes API makes of labels, selectors and names."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx


class Cluster:
    """One namespace, asked as an administrator."""

    def __init__(self, namespace: str, client: httpx.Client) -> None:
        self._objects = f"/api/v1/namespaces/{namespace}/configmaps"
        self._services = f"/api/v1/namespaces/{namespace}/services"
        self._policies = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies"
        self._client = client

    def hold(self, labels: Sequence[Mapping[str, str]]) -> None:
        """Hold exactly these objects, each named after its place."""
        self._client.delete(self._objects).raise_for_status()
        for place, own in enumerate(labels):
            body = {"metadata": {"name": f"object-{place}", "labels": dict(own)}}
            self._client.post(self._objects, json=body).raise_for_status()

    def select(self, query: str) -> set[str]:
        """Names of the objects that the API selects."""
        response = self._client.get(self._objects, params={"labelSelector": query})
        assert response.is_success, response.json()["message"]
        return {item["metadata"]["name"] for item in response.json()["items"]}

    def takes_selector(self, selector: Mapping[str, Any]) -> bool:
        """Whether an object with this selector in it could be made."""
        spec = {"podSelector": selector, "policyTypes": ["Ingress"]}
        return self._takes(self._policies, {"metadata": {"name": "a"}, "spec": spec})

    def takes_metadata(self, metadata: Mapping[str, Any]) -> bool:
        """Whether an object with this metadata could be made."""
        return self._takes(self._objects, {"metadata": {"name": "a", **metadata}})

    def takes_service(self, called: str = "a", **port: object) -> bool:
        """Whether a Service of this name, with this one port, could be made."""
        ports = [{"name": "a", "port": 1, "targetPort": 1, **port}]
        return self._takes(self._services, {"metadata": {"name": called}, "spec": {"ports": ports}})

    def _takes(self, kind: str, body: Mapping[str, Any]) -> bool:
        response = self._client.post(kind, json=body, params={"dryRun": "All"})
        assert response.is_success or response.status_code == httpx.codes.UNPROCESSABLE_ENTITY, response.text
        return response.is_success
