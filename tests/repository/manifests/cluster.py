"""An account with exactly the permissions of a manifest, in a namespace of a real Kubernetes API."""

import base64
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import yaml

from lab.bed.credentials import noted
from lab.bed.kubernetes import KubernetesApi
from tests.repository.manifests.documents import KUBERNETES, documents

ACCOUNT = "dittoinfra-watch"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SECONDS = 30.0
"""How long the API may take to heed a changed Role."""


class Powers:
    """The Roles of some manifests, bound to the watch's own account, and changeable."""

    def __init__(self, client: httpx.Client, namespace: str, roles: Sequence[str]) -> None:
        self.namespace = namespace
        self._client = client
        self._roles: dict[str, dict[str, Any]] = {}
        for name in roles:
            role, binding = map(self._moved, documents(KUBERNETES / "roles" / f"{name}.yaml"))
            self._roles[name] = role
            self._post(f"{RBAC}/namespaces/{namespace}/roles", role)
            self._post(f"{RBAC}/namespaces/{namespace}/rolebindings", binding)

    def _moved(self, document: dict[str, Any]) -> dict[str, Any]:
        moved = deepcopy(document)
        moved["metadata"]["namespace"] = self.namespace
        for subject in moved.get("subjects", ()):
            subject["namespace"] = self.namespace
        return moved

    def rules(self, role: str) -> list[dict[str, Any]]:
        """What a Role allows, as its file has it."""
        return deepcopy(self._roles[role]["rules"])

    @contextmanager
    def without(self, role: str, resource: str, verb: str) -> Iterator[None]:
        """Take one verb away for a while."""
        rules = self.rules(role)
        [rule] = [rule for rule in rules if rule["resources"] == [resource]]
        rule["verbs"].remove(verb)
        name = next(iter(rule.get("resourceNames", [])), None)
        # Kubernetes takes no rule without a verb.
        left = [each for each in rules if each["verbs"]]
        self._set(role, left, rule["apiGroups"][0], resource, verb, name, allowed=False)
        try:
            yield
        finally:
            whole = self.rules(role)
            self._set(role, whole, rule["apiGroups"][0], resource, verb, name, allowed=True)

    def _set(
        self,
        role: str,
        rules: list[dict[str, Any]],
        group: str,
        resource: str,
        verb: str,
        name: str | None,
        *,
        allowed: bool,
    ) -> None:
        path = f"{RBAC}/namespaces/{self.namespace}/roles/{self._roles[role]['metadata']['name']}"
        self._client.put(path, json=self._roles[role] | {"rules": rules}).raise_for_status()
        asked = {"namespace": self.namespace, "group": group, "resource": resource, "verb": verb}
        review = {
            "spec": {
                "user": f"system:serviceaccount:{self.namespace}:{ACCOUNT}",
                "resourceAttributes": asked | ({"name": name} if name else {}),
            }
        }
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", json=review)
            if answer.json()["status"]["allowed"] is allowed:
                return
            assert time.monotonic() < deadline, "the API does not heed the changed Role"
            time.sleep(0.02)

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.post(path, json=body)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def kubeconfig(self, api: KubernetesApi, path: Path) -> Path:
        """What the account would find in its Pod, as a file."""
        accounts = f"/api/v1/namespaces/{self.namespace}/serviceaccounts"
        [account] = documents(KUBERNETES / "watch" / "service-account.yaml")
        self._post(accounts, self._moved(account))
        token = self._post(f"{accounts}/{ACCOUNT}/token", {"spec": {"expirationSeconds": 3600}})
        authority = base64.b64encode(api.ca_file.read_bytes()).decode()
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "x",
            "clusters": [
                {"name": "x", "cluster": {"server": api.url, "certificate-authority-data": authority}}
            ],
            "users": [
                {"name": "x", "user": {"token": noted(token["status"]["token"], "token of the account")}}
            ],
            "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
        }
        path.write_text(yaml.safe_dump(content))
        return path
