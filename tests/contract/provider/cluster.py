"""Changes of objects in the cluster outside the provider."""

import base64
import json
import ssl
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml

Manifest = dict[str, Any]

CLUSTER_KINDS = {"Namespace"}
MEDIA = {
    "create": "application/json",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}
PATIENCE_SECONDS = 20.0


class Cluster:
    """The API of the kubeconfig's current context."""

    def __init__(self, kubeconfig: str) -> None:
        config = yaml.safe_load(Path(kubeconfig).read_text(encoding="utf-8"))
        context = _named(config, "context", config["current-context"])
        cluster, user = _named(config, "cluster", context["cluster"]), _named(config, "user", context["user"])
        headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
        self._client = httpx.Client(
            base_url=cluster["server"], headers=headers, verify=_trust(cluster, user), timeout=30.0
        )

    def get(self, manifest: Manifest) -> Manifest | None:
        """The live object, if it is there."""
        response = self._client.get(path_of(manifest))
        return response.json() if response.is_success else None

    def create(self, manifest: Manifest, manager: str) -> None:
        """Make an object under a field manager's name."""
        self._insist("POST", path_of(manifest).rpartition("/")[0], "create", manager, manifest)

    def patch(self, manifest: Manifest, manager: str, body: object, kind: str, subresource: str) -> None:
        """Change an object under a field manager's name; one that is not there yet is waited for."""
        self._insist("PATCH", "/".join(filter(None, (path_of(manifest), subresource))), kind, manager, body)

    def delete(self, manifest: Manifest, *, wait: bool) -> None:
        """Delete an object."""
        self._client.delete(path_of(manifest))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while wait and self.get(manifest) is not None and time.monotonic() < deadline:
            time.sleep(0.1)

    def release(self, manifest: Manifest) -> None:
        """Take every finalizer off an object, so that its namespace can go."""
        content, headers = '{"metadata": {"finalizers": null}}', {"Content-Type": MEDIA["merge"]}
        self._client.patch(path_of(manifest), content=content, headers=headers)

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def _insist(self, method: str, path: str, kind: str, manager: str, body: object) -> None:
        params = {"fieldManager": manager} | ({"force": "true"} if kind == "apply" else {})
        content, headers = json.dumps(body), {"Content-Type": MEDIA[kind]}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (
            answer := self._client.request(method, path, params=params, content=content, headers=headers)
        ).is_error:
            if answer.status_code != httpx.codes.NOT_FOUND or time.monotonic() > deadline:
                raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
            time.sleep(0.2)


def path_of(manifest: Manifest) -> str:
    """The object's address in the API."""
    version, kind, metadata = manifest["apiVersion"], manifest["kind"], manifest["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = f"{kind.lower()[:-1]}ies" if kind.endswith("y") else f"{kind.lower()}s"
    scope = "" if kind in CLUSTER_KINDS else f"/namespaces/{metadata['namespace']}"
    return f"{root}{scope}/{plural}/{metadata['name']}"


def _named(config: Mapping[str, Any], kind: str, name: str) -> dict[str, Any]:
    return next(entry[kind] for entry in config[f"{kind}s"] if entry["name"] == name)


def _trust(cluster: Mapping[str, Any], user: Mapping[str, Any]) -> ssl.SSLContext:
    authority = cluster.get("certificate-authority-data")
    data = base64.b64decode(authority).decode() if authority else None
    context = ssl.create_default_context(cafile=cluster.get("certificate-authority"), cadata=data)
    if "client-certificate-data" in user:
        with tempfile.NamedTemporaryFile() as file:
            file.write(
                b"\n".join(base64.b64decode(user[f"client-{part}-data"]) for part in ("certificate", "key"))
            )
            file.flush()
            context.load_cert_chain(file.name)
    elif "client-certificate" in user:
        context.load_cert_chain(user["client-certificate"], user["client-key"])
    return context
