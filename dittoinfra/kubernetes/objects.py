"""Single objects of a cluster: read, list, create, patch, apply and take over."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx
from pydantic import SecretStr

from dittoinfra.kubernetes.cluster_client import METADATA_ONLY, Cluster, api_path
from dittoinfra.kubernetes.cluster_errors import (
    ChangedMeanwhileError,
    ClusterError,
    Errors,
    NotThereError,
    RefusedByClusterError,
    SecretUnusableError,
    object_of,
    refusal,
    refused_fields,
)
from dittoinfra.kubernetes.rbac import Rule

JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

JsonPatch = Sequence[Mapping[str, Any]]
MakePatch = Callable[[Mapping[str, Any]], JsonPatch]
"""The patch for a live object."""

_ATTEMPTS = 10
"""How often a patch is made anew: controllers write often, but rarely twice within a moment."""

_ERRORS: Errors = {
    httpx.codes.BAD_REQUEST: RefusedByClusterError,
    httpx.codes.FORBIDDEN: RefusedByClusterError,
    httpx.codes.UNPROCESSABLE_ENTITY: RefusedByClusterError,
    httpx.codes.CONFLICT: ChangedMeanwhileError,
}
"""Answers that are about the object, not about the cluster."""

_CORRECT_SECRET = "correct it, or api.passwordSecret"  # noqa: S105 - a text for users


def read_object(
    cluster: Cluster, api_version: str, kind: str, namespace: str, name: str, *, metadata_only: bool = False
) -> dict[str, Any] | None:
    """A live object; None where there is none, or no such kind."""
    path = cluster.path(api_version, kind, namespace, name)
    if path is None:
        return None
    response = cluster.request("GET", path, headers=METADATA_ONLY if metadata_only else None)
    if response.status_code == httpx.codes.NOT_FOUND:
        return None
    return _answer(cluster, f"asked for {kind} {name}", kind, response)


def namespace_exists(cluster: Cluster, name: str) -> bool | None:
    """Whether it exists; None where the cluster does not tell."""
    try:
        return read_object(cluster, "v1", "Namespace", "", name, metadata_only=True) is not None
    except ClusterError:
        return None


def list_objects(
    cluster: Cluster, api_version: str, kind: str, namespace: str, *, selector: str = ""
) -> list[dict[str, Any]]:
    """Every object of a kind in a namespace, or those with some labels; none where there is no such kind."""
    path = cluster.path(api_version, kind, namespace)
    if path is None:
        return []
    response = cluster.request("GET", path, params={"labelSelector": selector} if selector else None)
    answer = _answer(cluster, f"asked for every {kind} in {namespace}", kind, response)
    return list(answer.get("items") or [])


def create_object(cluster: Cluster, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Make an object that does not exist yet."""
    kind, metadata = str(manifest["kind"]), manifest["metadata"]
    path = _served_path(cluster, manifest, "")
    response = cluster.request(
        "POST", path, headers={"Content-Type": "application/json"}, content=json.dumps(manifest).encode()
    )
    if response.status_code == httpx.codes.NOT_FOUND:
        raise RefusedByClusterError(
            f"the Kubernetes API at {cluster.server} has no namespace {metadata['namespace']} for {kind}"
        )
    return _answer(cluster, f"given {kind} {metadata['name']}", kind, response)


def patch_latest(cluster: Cluster, manifest: Mapping[str, Any], make_patch: MakePatch) -> None:
    """Change the object that a manifest names by a JSON patch, made anew after a conflicting write."""
    metadata = manifest["metadata"]
    kind, name = str(manifest["kind"]), str(metadata["name"])
    for _ in range(_ATTEMPTS):
        live = read_object(cluster, str(manifest["apiVersion"]), kind, metadata["namespace"], name)
        if live is None:
            raise ClusterError(f"{kind} {name} was deleted while it was being patched", "run again")
        with suppress(ChangedMeanwhileError):
            _patch(cluster, manifest, JSON_PATCH, make_patch(live), {})
            return
    raise ClusterError(
        f"{kind} {name} was changed by others {_ATTEMPTS} times in a row",
        "see that its operator is stopped, then run again",
    )


def apply_object(
    cluster: Cluster, manifest: Mapping[str, Any], manager: str, *, dry_run: bool = False
) -> dict[str, Any]:
    """Apply a manifest on the server's side, and return the object as it is, or would be."""
    params = {"fieldManager": manager, "force": "true"} | ({"dryRun": "All"} if dry_run else {})
    return _patch(cluster, manifest, APPLY, manifest, params)


def take_over(
    cluster: Cluster, manifest: Mapping[str, Any], manager: str, take: MakePatch, release: MakePatch
) -> None:
    """Own what the previous makers own, apply the manifest, and give it all up for the provider to own.

    Kubernetes has no single operation for that. Between the steps the object is whole and serves: what goes
    and what comes is one write. After a run that breaks off in between, the next one starts over.
    """
    patch_latest(cluster, manifest, take)
    apply_object(cluster, manifest, manager)
    patch_latest(cluster, manifest, release)


def secret_rule(name: str) -> Rule:
    """What `read_secret` has to be allowed."""
    return Rule("get", "secrets", name)


async def read_secret(
    cluster: Cluster, namespace: str, name: str, keys: Sequence[str]
) -> Mapping[str, SecretStr]:
    """The text under these keys of a Secret, or `ClusterError`; nothing of it is ever in a message."""
    path = api_path("v1", "secrets", namespace, name)
    try:
        live = await cluster.get_async(path, secret_rule(name), namespace)
    except NotThereError:
        raise SecretUnusableError(
            f"there is no Secret {name} in namespace {namespace}", "create it, or correct api.passwordSecret"
        ) from None
    data = live.get("data") or {}
    return {key: _text(data.get(key), f"key {key} of Secret {name} in namespace {namespace}") for key in keys}


def _text(encoded: str | None, where: str) -> SecretStr:
    if encoded is None:
        raise SecretUnusableError(f"there is no {where}", _CORRECT_SECRET)
    try:
        text = base64.b64decode(encoded).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise SecretUnusableError(f"{where} is no text", _CORRECT_SECRET) from None
    # A Secret that is created from a file contains the file's trailing newline.
    text = text.rstrip("\r\n")
    if not text:
        raise SecretUnusableError(f"{where} is empty", _CORRECT_SECRET)
    return SecretStr(text)


def _patch(
    cluster: Cluster, manifest: Mapping[str, Any], content_type: str, body: object, params: Mapping[str, str]
) -> dict[str, Any]:
    kind, name = str(manifest["kind"]), manifest["metadata"]["name"]
    response = cluster.request(
        "PATCH",
        _served_path(cluster, manifest, name),
        params=params,
        headers={"Content-Type": content_type},
        content=json.dumps(body).encode(),
    )
    return _answer(cluster, f"patched {kind} {name}", kind, response)


def _served_path(cluster: Cluster, manifest: Mapping[str, Any], name: str) -> str:
    kind = str(manifest["kind"])
    path = cluster.path(str(manifest["apiVersion"]), kind, manifest["metadata"]["namespace"], name)
    if path is None:
        raise RefusedByClusterError(f"the Kubernetes API at {cluster.server} serves no {kind}")
    return path


def _answer(cluster: Cluster, what: str, kind: str, response: httpx.Response) -> dict[str, Any]:
    if not response.is_error:
        return object_of(response)
    said = f"{response.reason_phrase} ({refused_fields(response)})" if kind == "Secret" else None
    raise refusal(cluster.server, response, f"when {what}", errors=_ERRORS, said=said)
