"""Requests to a Kubernetes API for one object, with the API's error messages."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.cluster_errors import refused_fields, status_of
from dittoinfra.kubernetes.objects import APPLY, JSON_PATCH
from dittoinfra.visible import visible
from lab.standin.errors import ApiError, NoSuchKindError
from lab.standin.properties import Properties
from lab.standin.secrecy import SECRET_KIND
from lab.standin.target import FIELD_MANAGER, ObjectKey

JSON = "application/json"
NOT_FOUND = "NotFound"
QUOTING = frozenset(
    {httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.INTERNAL_SERVER_ERROR}
)
"""Answers in which the API quotes what it was given."""


class Requests:
    """Requests for an object; `preview` makes them dry runs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def get(self, key: ObjectKey) -> Properties:
        """The live object."""
        return self._ask("GET", key, key.name)

    def find(self, key: ObjectKey) -> Properties | None:
        """The live object, if it is there."""
        try:
            return self.get(key)
        except ApiError as error:
            if error.reason != NOT_FOUND:
                raise
            return None

    def all(self, api_version: str, kind: str, namespace: str | None) -> list[Properties]:
        """Every object of a kind in a namespace."""
        answer = self._ask("GET", ObjectKey(api_version, kind, namespace, ""), "")
        items: list[Properties] = answer.get("items") or []
        return items

    def create(self, key: ObjectKey, manifest: Properties, *, preview: bool) -> Properties:
        """Make an object that is not there yet, in the name of plain creations."""
        params = {"fieldManager": FIELD_MANAGER} | _rehearsal(preview)
        return self._ask("POST", key, "", params, JSON, manifest)

    def apply(
        self,
        key: ObjectKey,
        manifest: Properties,
        manager: str,
        *,
        force: bool = False,
        preview: bool = False,
    ) -> Properties:
        """Apply a manifest on the server's side, in a manager's name."""
        params = {"fieldManager": manager, "force": json.dumps(force)} | _rehearsal(preview)
        return self._ask("PATCH", key, key.name, params, APPLY, manifest)

    def patch(self, key: ObjectKey, operations: list[Mapping[str, Any]]) -> Properties:
        """Change an object by a JSON patch."""
        return self._ask("PATCH", key, key.name, {}, JSON_PATCH, operations)

    def delete(self, key: ObjectKey, propagation: str) -> Properties:
        """Have an object deleted, which may take its time."""
        return self._ask("DELETE", key, key.name, {"propagationPolicy": propagation})

    def _ask(
        self,
        method: str,
        key: ObjectKey,
        name: str,
        params: Mapping[str, str] | None = None,
        content_type: str = "",
        body: object = None,
    ) -> Properties:
        path = self._cluster.path(key.api_version, key.kind, key.namespace, name)
        if path is None:
            raise NoSuchKindError(key.api_version, key.kind)
        response = self._cluster.request(
            method,
            path,
            params=params,
            headers={"Content-Type": content_type} if content_type else None,
            content=json.dumps(body).encode() if content_type else None,
        )
        if response.is_error:
            raise _refusal(key, response)
        answer: Properties = response.json()
        return answer


def _rehearsal(preview: bool) -> dict[str, str]:
    return {"dryRun": "All"} if preview else {}


def _refusal(key: ObjectKey, response: httpx.Response) -> ApiError:
    status = status_of(response)
    details = status.get("details") or {}
    required = [
        c.get("field") for c in details.get("causes") or () if c.get("reason") == "FieldValueRequired"
    ]
    return ApiError(
        _words(key, response, status),
        reason=str(status.get("reason") or response.reason_phrase),
        about=str(details.get("kind", "")),
        required=str(required[0]) if required else "",
    )


def _words(key: ObjectKey, response: httpx.Response, status: Mapping[str, Any]) -> str:
    if key.kind == SECRET_KIND and response.status_code in QUOTING:
        reason = status.get("reason") or response.reason_phrase
        return f'Secret "{key.name}": {reason} ({refused_fields(response)})'
    # A refusal may be a list of several lines, and a webhook's words may be anything.
    return visible(str(status.get("message") or response.reason_phrase))
