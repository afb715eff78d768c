"""A namespace of a real Kubernetes API with servers that others deploy."""

import base64
from typing import Any

import httpx

from lab.bed.credentials import noted
from lab.bed.kubernetes import KubernetesApi
from tests.engine.discovery.api_proxy import kubeconfig_for

MERGE = {"Content-Type": "application/merge-patch+json"}


class ServerNamespace:
    """Servers as the operator creates them: objects only, nothing runs."""

    def __init__(self, api: KubernetesApi, client: httpx.Client) -> None:
        self.name = api.namespace()
        self._api = api
        self._client = client

    def add(self, server: str, **labels: str) -> None:
        """Create the StatefulSet of a server."""
        selector = {"app": "dittofs-server", "instance": server}
        container = {"name": "dittofs", "image": "theirs:1"}
        body = {
            "metadata": {"name": server, "labels": {**selector, **labels}},
            "spec": {
                "serviceName": f"{server}-headless",
                "selector": {"matchLabels": selector},
                "template": {"metadata": {"labels": selector}, "spec": {"containers": [container]}},
            },
        }
        self.create("apis/apps/v1", "statefulsets", body)

    def add_service(self, name: str, **labels: str) -> None:
        """Create a Service."""
        body = {"metadata": {"name": name, "labels": labels}, "spec": {"ports": [{"port": 8080}]}}
        self.create("api/v1", "services", body)

    def label(self, server: str, **labels: str | None) -> None:
        """Change labels of a server's StatefulSet; None removes one."""
        path = self._path("apis/apps/v1", f"statefulsets/{server}")
        body = {"metadata": {"labels": labels}}
        self._client.patch(path, json=body, headers=MERGE).raise_for_status()

    def label_namespace(self, **labels: str) -> None:
        """Label the namespace itself."""
        body = {"metadata": {"labels": labels}}
        self._client.patch(f"/api/v1/namespaces/{self.name}", json=body, headers=MERGE).raise_for_status()

    def remove(self, server: str) -> None:
        """Delete the StatefulSet without waiting for its Pods."""
        path = self._path("apis/apps/v1", f"statefulsets/{server}")
        self._client.request("DELETE", path, json={"propagationPolicy": "Background"}).raise_for_status()

    def delete_service(self, name: str) -> None:
        """Delete a Service."""
        self._client.delete(self._path("api/v1", f"services/{name}")).raise_for_status()

    def set_address(self, name: str, *addresses: str) -> None:
        """The load balancer of a Service has these addresses now, as a cloud's controller writes them."""
        body = {"status": {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]}}}
        path = self._path("api/v1", f"services/{name}/status")
        self._client.patch(path, json=body, headers=MERGE).raise_for_status()

    def set_ready(self, service: str, *, ready: bool) -> None:
        """A Pod behind the first port of a Service is ready or not, as the cluster's controller says it."""
        live = self.services()[service]
        body = {
            "metadata": {
                "name": f"{service}-1",
                "labels": {**live["metadata"]["labels"], "kubernetes.io/service-name": service},
            },
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["192.0.2.7"], "conditions": {"ready": ready}}],
            "ports": [{"name": live["spec"]["ports"][0]["name"], "port": 12049}],
        }
        path = self._path("apis/discovery.k8s.io/v1", f"endpointslices/{service}-1")
        applied = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", **body}
        params = {"fieldManager": "endpointslice-controller", "force": "true"}
        headers = {"Content-Type": "application/apply-patch+yaml"}
        self._client.patch(path, json=applied, headers=headers, params=params).raise_for_status()

    def reader(self) -> str:
        """The kubeconfig of an account without permissions."""
        self.create("api/v1", "serviceaccounts", {"metadata": {"name": "reader"}})
        token = self.create("api/v1", "serviceaccounts/reader/token", {"spec": {}})["status"]["token"]
        authority = base64.b64encode(self._api.ca_file.read_bytes()).decode()
        return kubeconfig_for(self._api.url, {"token": noted(token, "token of reader")}, authority)

    def services(self) -> dict[str, dict[str, Any]]:
        """The Services by name."""
        response = self._client.get(self._path("api/v1", "services"))
        response.raise_for_status()
        return {item["metadata"]["name"]: item for item in response.json()["items"]}

    def create(self, group: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        """Create an object; fail with the API's message."""
        response = self._client.post(self._path(group, kind), json=body)
        assert response.is_success, response.json()["message"]
        return dict(response.json())

    def _path(self, group: str, rest: str) -> str:
        return f"/{group}/namespaces/{self.name}/{rest}"
