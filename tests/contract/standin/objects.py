"""Objects of one kind in a real API, as a user of kubectl would see and change them."""

import json
from typing import Any

import httpx

from dittoinfra.kubernetes import Cluster

Object = dict[str, Any]


class Objects:
    """A kind's objects in one namespace."""

    def __init__(self, cluster: Cluster, path: str) -> None:
        self._cluster = cluster
        self._path = path

    def get(self, name: str) -> Object | None:
        response = self._cluster.request("GET", f"{self._path}/{name}")
        return None if response.status_code == httpx.codes.NOT_FOUND else _ok(response)

    def live(self, name: str) -> Object:
        found = self.get(name)
        assert found is not None, f"{self._path}/{name} does not exist"
        return found

    def create(self, manifest: Object) -> Object:
        headers = {"Content-Type": "application/json"}
        content = json.dumps(manifest).encode()
        return _ok(self._cluster.request("POST", self._path, headers=headers, content=content))

    def delete(self, name: str) -> Object:
        return _ok(self._cluster.request("DELETE", f"{self._path}/{name}"))

    def edit(self, name: str, change: Object, *, subresource: str = "") -> Object:
        headers = {"Content-Type": "application/merge-patch+json"}
        content = json.dumps(change).encode()
        path = f"{self._path}/{name}{subresource}"
        return _ok(self._cluster.request("PATCH", path, headers=headers, content=content))


def _ok(response: httpx.Response) -> Object:
    assert response.is_success, response.text
    answer: Object = response.json()
    return answer
