"""Objects in a real Kubernetes API, by server-side apply."""

import time

import httpx
import yaml

from dittoinfra.cluster import Cluster
from dittoinfra.cluster.answers import message_of, refused_fields, status_of
from dittoinfra.cluster.objects import APPLY
from dittoinfra.standin import scope
from dittoinfra.standin.errors import AlreadyExistsError, ObjectMissingError, RefusedError
from dittoinfra.standin.properties import Properties
from dittoinfra.standin.target import ObjectKey, Target

FINALIZER_SECONDS = 60.0
"""How long a replacement waits for its predecessor: a cloud takes its time to give back a load balancer."""

POLL_SECONDS = 0.2

QUOTING = frozenset(
    {httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.INTERNAL_SERVER_ERROR}
)
"""Answers in which the API quotes what it was given."""


class ApiStore:
    """Applies objects to one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def default_namespace(self) -> str:
        """The namespace of the kubeconfig's context."""
        return self._cluster.namespace

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """What the API says about the kind; by its name while the API does not serve it yet."""
        resource = self._cluster.resource(api_version, kind)
        return scope.is_namespaced(kind) if resource is None else resource.namespaced

    def create(self, target: Target, manifest: Properties, *, take_over: bool) -> Properties:
        """Make the object; one that exists is refused: server-side apply would silently take it over."""
        if target.is_patch:
            return self._patch(target, manifest)
        live = self._outlived(target)
        if live is not None and not take_over:
            raise AlreadyExistsError(
                f"{target} already exists and this stack did not make it; "
                "import it, set upsertExistingObjects on the provider, or choose another name"
            )
        return self._apply(target, manifest)

    def preview_create(self, target: Target, manifest: Properties) -> Properties:
        """Let the API validate the object; its answer, with made-up uid and addresses, is not returned."""
        # An object that exists may be one that the same run replaces, so nothing can be said about it yet.
        if target.is_patch or self.read(target) is None:
            self._rehearse(target, manifest)
        return manifest

    def update(self, target: Target, manifest: Properties) -> Properties:
        """Apply the declared fields: those no longer declared are removed, those of others stay."""
        return self._patch(target, manifest) if target.is_patch else self._apply(target, manifest)

    def preview_update(self, target: Target, manifest: Properties) -> Properties:
        """The object as the API would make it."""
        return self._rehearse(target, manifest) or manifest

    def read(self, target: Target) -> Properties | None:
        """The live object."""
        path = self._path(target.key)
        if path is None:
            return None
        response = self._cluster.request("GET", path)
        return None if response.status_code == httpx.codes.NOT_FOUND else _object(target, response)

    def delete(self, target: Target) -> None:
        """Delete the object, or give up a patch's fields and leave the object to whoever made it."""
        path = self._path(target.key)
        if path is None:
            return
        if target.is_patch:
            self._release(target)
            return
        response = self._cluster.request("DELETE", path, params={"propagationPolicy": "Background"})
        if response.is_error and response.status_code != httpx.codes.NOT_FOUND:
            raise _refusal(target, response)

    def close(self) -> None:
        """Give back the connections."""
        self._cluster.close()

    def _outlived(self, target: Target) -> Properties | None:
        """The live object, once a predecessor whose finalizers are still at work is gone."""
        deadline = time.monotonic() + FINALIZER_SECONDS
        while (live := self.read(target)) is not None and "deletionTimestamp" in live["metadata"]:
            if time.monotonic() > deadline:
                waiting = ", ".join(live["metadata"].get("finalizers") or ["its own kind"])
                raise AlreadyExistsError(
                    f"{target} is still being deleted after {FINALIZER_SECONDS:.0f} s, held by {waiting}; "
                    "see why it does not finish, then run again"
                )
            time.sleep(POLL_SECONDS)
        return live

    def _patch(self, target: Target, manifest: Properties) -> Properties:
        live = self.read(target)
        if live is None:
            raise ObjectMissingError(
                f"{target} does not exist, and a {target.urn.kind} only changes what others made; "
                "create it first or correct its name"
            )
        return self._apply(target, _pinned(manifest, live))

    def _release(self, target: Target) -> None:
        live = self.read(target)
        if live is None:
            return
        self._apply(target, _pinned(target.key.manifest, live))

    def _rehearse(self, target: Target, manifest: Properties) -> Properties | None:
        """Apply without effect; None when namespace, kind or a patch's object are still to be created."""
        path = self._path(target.key)
        if path is None or (target.is_patch and self.read(target) is None):
            return None
        response = self._send(target, path, manifest, {"dryRun": "All"})
        return None if response.status_code == httpx.codes.NOT_FOUND else _object(target, response)

    def _apply(self, target: Target, manifest: Properties) -> Properties:
        path = self._path(target.key)
        if path is None:
            raise RefusedError(
                f"{target}: the Kubernetes API at {self._cluster.server} serves no {target.key.kind} "
                f"of {target.key.api_version}; install its CustomResourceDefinition or correct the kind"
            )
        return _object(target, self._send(target, path, manifest, {}))

    def _send(
        self, target: Target, path: str, manifest: Properties, params: dict[str, str]
    ) -> httpx.Response:
        return self._cluster.request(
            "PATCH",
            path,
            params={"fieldManager": target.field_manager, "force": "true"} | params,
            headers={"Content-Type": APPLY},
            content=yaml.safe_dump(manifest, allow_unicode=True).encode(),
        )

    def _path(self, key: ObjectKey) -> str | None:
        return self._cluster.path(key.api_version, key.kind, key.namespace, key.name)


def _pinned(manifest: Properties, live: Properties) -> Properties:
    """The manifest tied to one incarnation: it must not revive an object deleted meanwhile."""
    return manifest | {"metadata": manifest["metadata"] | {"uid": live["metadata"]["uid"]}}


def _object(target: Target, response: httpx.Response) -> Properties:
    if response.is_error:
        raise _refusal(target, response)
    live: Properties = response.json()
    # The API's own bookkeeping, several times the size of the object, and new with every manager's write.
    live["metadata"].pop("managedFields", None)
    return live


def _refusal(target: Target, response: httpx.Response) -> RefusedError:
    reason = _reason(target, response)
    return RefusedError(f"{target}: the Kubernetes API answered {response.status_code}: {reason}")


def _reason(target: Target, response: httpx.Response) -> str:
    if target.key.kind == "Secret" and response.status_code in QUOTING:
        reason = status_of(response).get("reason") or response.reason_phrase
        return f"{reason} ({refused_fields(response)})"
    return message_of(response)
