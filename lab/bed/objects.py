"""Reads all objects of a Kubernetes API except Secrets."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx

_PAGE: Final = 500
_PATIENCE: Final = 60.0


def dump(client: httpx.Client) -> Iterator[tuple[str, bytes]]:
    """Every object except Secrets, as `kind namespace/name` and JSON with managed fields."""
    for group, kind in _kinds(client):
        for item in _items(client, f"{group}/{kind['name']}"):
            metadata = item.get("metadata", {})
            place = "/".join(filter(None, [metadata.get("namespace"), metadata.get("name")]))
            yield f"{kind['kind']} {place}", json.dumps(item, ensure_ascii=False).encode()


def _kinds(client: httpx.Client) -> Iterator[tuple[str, Mapping[str, Any]]]:
    groups = _get(client, "/apis")["groups"]
    # Versions of one group show the same objects.
    paths = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
    for path in paths:
        for kind in _get(client, path)["resources"]:
            if "list" in kind["verbs"] and (path, kind["name"]) != ("/api/v1", "secrets"):
                yield path, kind


def _items(client: httpx.Client, path: str) -> Iterator[Mapping[str, Any]]:
    query: dict[str, str | int] = {"limit": _PAGE}
    while True:
        page = _get(client, path, query)
        yield from page.get("items") or ()
        following = page.get("metadata", {}).get("continue")
        if not following:
            return
        query["continue"] = following


def _get(client: httpx.Client, path: str, query: Mapping[str, str | int] | None = None) -> Mapping[str, Any]:
    answer = client.get(path, params=query, timeout=_PATIENCE).raise_for_status().json()
    assert isinstance(answer, dict)
    return answer
