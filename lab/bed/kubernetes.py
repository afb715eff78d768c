"""Administrator access to a running Kubernetes API.

Each test uses its own namespace and does not delete it.
"""

import base64
import secrets
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import yaml

from lab.bed.credentials import noted
from lab.bed.process import BedError

READY_SECONDS = 60.0
"""For whatever the server does in its own time; it takes three or four on an idle machine."""

POLL_SECONDS = 0.05


@dataclass(frozen=True)
class KubernetesApi:
    """A running API server, and an administrator's token for it."""

    url: str
    token: str = field(repr=False)
    directory: Path
    """Where it keeps its files, and where its logs are."""

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig file."""
        return self.directory / "kubeconfig"

    @property
    def ca_file(self) -> Path:
        """The certificate of the API server, which is self-signed."""
        return self.directory / "certificates" / "apiserver.crt"

    def client(self) -> httpx.Client:
        """A client with all permissions."""
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.token}"},
            verify=ssl.create_default_context(cafile=str(self.ca_file)),
            # A proxy of this machine has no business between two processes of it.
            trust_env=False,
        )

    def namespace(self) -> str:
        """Create a namespace and return its name."""
        name = f"test-{secrets.token_hex(4)}"
        with self.client() as client:
            client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
        return name

    def give_address(self, namespace: str, service: str, address: str) -> None:
        """Set the external address of a Service, like a load balancer's controller."""
        with self.client() as client:
            client.patch(
                f"/api/v1/namespaces/{namespace}/services/{service}/status",
                json={"status": {"loadBalancer": {"ingress": [{"ip": address}]}}},
                headers={"Content-Type": "application/merge-patch+json"},
            ).raise_for_status()

    def kubeconfig_of(self, token: str) -> str:
        """The text of a kubeconfig with this token."""
        name = "bed"
        # The certificate itself and not its path: a kubeconfig is also handed around as text.
        authority = base64.b64encode(self.ca_file.read_bytes()).decode()
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [
                {"name": name, "cluster": {"server": self.url, "certificate-authority-data": authority}}
            ],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
        return yaml.safe_dump(content)

    def kubeconfig_with(self, namespace: str, *rules: Mapping[str, Any]) -> str:
        """The text of a kubeconfig of an account with exactly these rules of a Role."""
        name = f"account-{secrets.token_hex(4)}"
        within = f"namespaces/{namespace}"
        roles = f"/apis/rbac.authorization.k8s.io/v1/{within}"
        subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
        metadata = {"metadata": {"name": name}}
        with self.client() as client:

            def create(path: str, body: Mapping[str, object]) -> dict[str, Any]:
                return dict(client.post(path, json=body).raise_for_status().json())

            create(f"/api/v1/{within}/serviceaccounts", metadata)
            create(f"{roles}/roles", {**metadata, "rules": rules})
            create(f"{roles}/rolebindings", {**metadata, "subjects": [subject], "roleRef": role})
            made = create(f"/api/v1/{within}/serviceaccounts/{name}/token", {"spec": {}})
        self.wait_until_allowed(f"system:serviceaccount:{namespace}:{name}", namespace, rules)
        return self.kubeconfig_of(noted(made["status"]["token"]))

    def wait_until_allowed(self, user: str, namespace: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Wait until the API server has applied a new Role."""
        deadline = time.monotonic() + READY_SECONDS
        with self.client() as client:
            for asked in (a for rule in rules for a in _attributes(namespace, rule)):
                review = {"spec": {"user": user, "resourceAttributes": asked}}
                path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
                while not client.post(path, json=review).raise_for_status().json()["status"]["allowed"]:
                    if time.monotonic() > deadline:
                        raise BedError(f"{user} was not allowed {asked} within {READY_SECONDS:g} s")
                    time.sleep(POLL_SECONDS)


def _attributes(namespace: str, rule: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    names = rule.get("resourceNames") or [""]
    for group, resource, verb, name in product(rule["apiGroups"], rule["resources"], rule["verbs"], names):
        kind, _, part = resource.partition("/")
        asked = {"group": group, "resource": kind, "subresource": part, "verb": verb, "name": name}
        yield {"namespace": namespace, **asked}
