"""Single objects of a cluster: read, list, create, patch and apply."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx

from dittoinfra.cluster.answers import message_of, object_of, refused_fields
from dittoinfra.cluster.connection import Cluster
from dittoinfra.cluster.errors import ClusterError

JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

JsonPatch = Sequence[Mapping[str, Any]]

_ATTEMPTS = 10
"""How often a patch is made anew: controllers write often, but rarely twice within a moment."""


class RefusedByClusterError(ClusterError):
    """The cluster understood, and said no."""


class ChangedMeanwhileError(ClusterError):
    """The object is not any more what a patch was made from."""


_ERRORS: Mapping[int, type[ClusterError]] = {
    httpx.codes.BAD_REQUEST: RefusedByClusterError,
    httpx.codes.FORBIDDEN: RefusedByClusterError,
    httpx.codes.UNPROCESSABLE_ENTITY: RefusedByClusterError,
    httpx.codes.CONFLICT: ChangedMeanwhileError,
}
"""Answers that are about the object, not about the cluster."""


def read_object(
    cluster: Cluster, api_version: str, kind: str, namespace: str, name: str
) -> dict[str, Any] | None:
    """A live object; None where there is none, or no such kind."""
    path = cluster.path(api_version, kind, namespace, name)
    if path is None:
        return None
    response = cluster.request("GET", path)
    if response.status_code == httpx.codes.NOT_FOUND:
        return None
    return _answer(cluster, f"asked for {kind} {name}", kind, response)


def list_objects(cluster: Cluster, api_version: str, kind: str, namespace: str) -> list[dict[str, Any]]:
    """Every object of a kind in a namespace; none where there is no such kind."""
    path = cluster.path(api_version, kind, namespace)
    if path is None:
        return []
    answer = _answer(cluster, f"asked for every {kind} in {namespace}", kind, cluster.request("GET", path))
    return list(answer.get("items") or [])


def patch_latest(
    cluster: Cluster, manifest: Mapping[str, Any], make_patch: Callable[[Mapping[str, Any]], JsonPatch]
) -> None:
    """Change the object that a manifest names by a JSON patch, made anew when somebody else was faster."""
    metadata = manifest["metadata"]
    kind, name = str(manifest["kind"]), str(metadata["name"])
    for _ in range(_ATTEMPTS):
        live = read_object(cluster, str(manifest["apiVersion"]), kind, metadata["namespace"], name)
        if live is None:
            raise ClusterError(f"{kind} {name} was deleted while it was being patched; run again")
        with suppress(ChangedMeanwhileError):
            _send(cluster, manifest, JSON_PATCH, make_patch(live), {})
            return
    raise ClusterError(
        f"{kind} {name} was written to by somebody else {_ATTEMPTS} times in a row; see that its operator is "
        "stopped, then run again"
    )


def apply_object(
    cluster: Cluster, manifest: Mapping[str, Any], manager: str, *, dry_run: bool = False
) -> dict[str, Any]:
    """Apply a manifest on the server's side, and return the object as it is, or would be."""
    params = {"fieldManager": manager, "force": "true"} | ({"dryRun": "All"} if dry_run else {})
    return _send(cluster, manifest, APPLY, manifest, params)


def create_object(cluster: Cluster, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Make an object that is not there yet."""
    kind, metadata = str(manifest["kind"]), manifest["metadata"]
    path = cluster.path(str(manifest["apiVersion"]), kind, metadata["namespace"])
    if path is None:
        raise RefusedByClusterError(f"the Kubernetes API at {cluster.server} serves no {kind}")
    response = cluster.request(
        "POST", path, headers={"Content-Type": "application/json"}, content=json.dumps(manifest).encode()
    )
    if response.status_code == httpx.codes.NOT_FOUND:
        raise RefusedByClusterError(
            f"the Kubernetes API at {cluster.server} has no namespace {metadata['namespace']} for {kind}"
        )
    return _answer(cluster, f"given {kind} {metadata['name']}", kind, response)


def _send(
    cluster: Cluster, manifest: Mapping[str, Any], content_type: str, body: object, params: Mapping[str, str]
) -> dict[str, Any]:
    kind, metadata = str(manifest["kind"]), manifest["metadata"]
    path = cluster.path(str(manifest["apiVersion"]), kind, metadata["namespace"], metadata["name"])
    if path is None:
        raise RefusedByClusterError(f"the Kubernetes API at {cluster.server} serves no {kind}")
    response = cluster.request(
        "PATCH",
        path,
        params=params,
        headers={"Content-Type": content_type},
        content=json.dumps(body).encode(),
    )
    return _answer(cluster, f"patched {kind} {metadata['name']}", kind, response)


def _answer(cluster: Cluster, what: str, kind: str, response: httpx.Response) -> dict[str, Any]:
    if not response.is_error:
        return object_of(response)
    error = _ERRORS.get(response.status_code, ClusterError)
    raise error(
        f"the Kubernetes API at {cluster.server} answered {response.status_code} when {what}: "
        f"{_reason(kind, response)}"
    )


def _reason(kind: str, response: httpx.Response) -> str:
    if kind == "Secret":
        return f"{response.reason_phrase} ({refused_fields(response)})"
    return message_of(response)
