"""Listing the objects that stand for servers, all sources side by side.

A listing that breaks off is told from one that is complete: what it has not listed may still be there.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from dittoinfra.cluster.answers import message_of
from dittoinfra.cluster.connection import Cluster
from dittoinfra.cluster.errors import ClusterError
from dittoinfra.model import Gap, ListedObject, Listing, Permission
from dittoinfra.settings import ServersFrom
from dittoinfra.settings.labels import LabelSelector

PAGE_SIZE = 500
"""Objects in one answer, as kubectl asks for them."""

_SIDE_BY_SIDE = 16
_METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json"
"""Names and labels are all that is needed: a StatefulSet as a whole is a hundred times as long."""


@dataclass(frozen=True, slots=True)
class _Kind:
    group: str
    root: str
    plural: str

    def path(self, namespace: str | None) -> str:
        place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"{self.root}{place}/{self.plural}"


_NAMESPACES = _Kind("", "/api/v1", "namespaces")
_KINDS = {
    "StatefulSet": _Kind("apps", "/apis/apps/v1", "statefulsets"),
    "Service": _Kind("", "/api/v1", "services"),
}


@dataclass(frozen=True, slots=True)
class _Listed:
    metadata: tuple[Mapping[str, Any], ...]
    gaps: tuple[Gap, ...]


def list_servers(cluster: Cluster, sources: Sequence[ServersFrom], namespace: str) -> tuple[Listing, ...]:
    """What each source lists; `namespace` is where one looks that does not say. Never raises."""
    with ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="listing") as pool:
        places = list(pool.map(lambda source: _places(cluster, source, namespace), sources))
        asked = [
            [pool.submit(_list, cluster, _KINDS[source.kind], source.selector, name) for name in names]
            for source, (names, _) in zip(sources, places, strict=True)
        ]
        return tuple(
            _listing(index, source, gaps, [future.result() for future in futures])
            for index, (source, (_, gaps), futures) in enumerate(zip(sources, places, asked, strict=True))
        )


def unlisted(sources: Sequence[ServersFrom], why: str) -> tuple[Listing, ...]:
    """The listings of a cluster that could not be asked."""
    return tuple(Listing(_name(index), gaps=(Gap(why),)) for index in range(len(sources)))


def _places(cluster: Cluster, source: ServersFrom, default: str) -> tuple[tuple[str, ...], tuple[Gap, ...]]:
    if source.namespace_selector is None:
        return tuple(dict.fromkeys(source.namespaces)) or (default,), ()
    listed = _list(cluster, _NAMESPACES, source.namespace_selector, None)
    return tuple(str(metadata["name"]) for metadata in listed.metadata), listed.gaps


def _listing(index: int, source: ServersFrom, gaps: tuple[Gap, ...], parts: Sequence[_Listed]) -> Listing:
    objects = (_object(source.kind, metadata) for part in parts for metadata in part.metadata)
    return Listing(
        _name(index),
        tuple(sorted(objects, key=lambda o: (o.namespace, o.name))),
        (*gaps, *(gap for part in parts for gap in part.gaps)),
    )


def _name(index: int) -> str:
    return f"serversFrom[{index}]"


def _object(kind: str, metadata: Mapping[str, Any]) -> ListedObject:
    labels = metadata.get("labels") or {}
    return ListedObject(kind, str(metadata.get("namespace")), str(metadata["name"]), dict(labels))


def _list(cluster: Cluster, kind: _Kind, selector: LabelSelector, namespace: str | None) -> _Listed:
    metadata: list[Mapping[str, Any]] = []
    try:
        for page in _pages(cluster, kind, selector, namespace):
            metadata += page
    except _BrokenOffError as broken:
        return _Listed(tuple(metadata), (broken.gap,))
    return _Listed(tuple(metadata), ())


class _BrokenOffError(Exception):
    def __init__(self, gap: Gap) -> None:
        super().__init__(gap.why)
        self.gap = gap


def _pages(
    cluster: Cluster, kind: _Kind, selector: LabelSelector, namespace: str | None
) -> Iterator[list[Mapping[str, Any]]]:
    wanted = Permission("list", kind.group, kind.plural, namespace)
    params = {"limit": str(PAGE_SIZE), "labelSelector": selector.query()}
    token = ""
    while True:
        try:
            response = cluster.request(
                "GET",
                kind.path(namespace),
                params=params | ({"continue": token} if token else {}),
                headers={"Accept": _METADATA_ONLY},
            )
        except ClusterError as error:
            raise _BrokenOffError(Gap(str(error))) from None
        page, following = _page(cluster, wanted, response)
        yield page
        if not following:
            return
        if following == token:
            raise _BrokenOffError(Gap(f"the Kubernetes API at {cluster.server} gives one page over and over"))
        token = following


def _page(
    cluster: Cluster, wanted: Permission, response: httpx.Response
) -> tuple[list[Mapping[str, Any]], str]:
    if response.status_code == httpx.codes.FORBIDDEN:
        why = f"the Kubernetes API at {cluster.server} does not let us {wanted}"
        raise _BrokenOffError(Gap(why, wanted))
    if response.is_error:
        raise _BrokenOffError(
            Gap(
                f"the Kubernetes API at {cluster.server} answered {response.status_code} to {wanted}: "
                f"{message_of(response)}"
            )
        )
    try:
        answer = response.json()
        # Of an empty list of metadata the API says that its items are null.
        metadata = [item["metadata"] for item in answer["items"] or ()]
        complete = answer["kind"].endswith("List") and all(isinstance(m["name"], str) for m in metadata)
        following = answer["metadata"].get("continue") or ""
    except (ValueError, TypeError, KeyError, AttributeError):
        complete = False
    if not complete:
        why = f"what the Kubernetes API at {cluster.server} answered to {wanted} is not a list"
        raise _BrokenOffError(Gap(why))
    return metadata, following
