"""Listing the objects that stand for servers, all sources side by side.

A listing that breaks off is told from one that is complete: what it has not listed may still be there.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from dittoinfra.kubernetes.cluster_client import AT_ONCE, METADATA_LIST, PAGE_SIZE, Cluster, api_path
from dittoinfra.kubernetes.cluster_errors import ClusterError, refusal
from dittoinfra.model import Gap, ListedObject, Listing, Permission
from dittoinfra.settings.selectors import LabelSelector, ServersFrom

_Resource = tuple[str, str]
"""API version and plural."""
_Metadata = Mapping[str, Any]
_Found = tuple[tuple[_Metadata, ...], tuple[Gap, ...]]
"""What was listed, and why that is not everything."""

NAMESPACES: _Resource = ("v1", "namespaces")
SERVER_RESOURCES: Mapping[str, _Resource] = {
    "StatefulSet": ("apps/v1", "statefulsets"),
    "Service": ("v1", "services"),
}


def list_servers(cluster: Cluster, sources: Sequence[ServersFrom], namespace: str) -> tuple[Listing, ...]:
    """What each source lists; `namespace` is where one looks that does not say. Never raises."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="listing") as pool:
        places = list(pool.map(lambda source: _places(cluster, source, namespace), sources))
        asked = [
            [
                pool.submit(_list, cluster, SERVER_RESOURCES[source.kind], source.selector, name)
                for name in names
            ]
            for source, (names, _) in zip(sources, places, strict=True)
        ]
        return tuple(
            _listing(index, source, gaps, [future.result() for future in futures])
            for index, (source, (_, gaps), futures) in enumerate(zip(sources, places, asked, strict=True))
        )


def list_labelled(
    cluster: Cluster, kind: str, selector: LabelSelector, namespace: str | None
) -> tuple[tuple[ListedObject, ...], tuple[Gap, ...]]:
    """Objects of a kind in a namespace, or in all (`None`), and why these are not all. Never raises."""
    found, gaps = _list(cluster, SERVER_RESOURCES[kind], selector, namespace)
    return tuple(listed_object(kind, metadata) for metadata in found), gaps


def unlisted(sources: Sequence[ServersFrom], cause: str, next_step: str = "") -> tuple[Listing, ...]:
    """The listings of a cluster that could not be asked."""
    return tuple(Listing(_name(index), gaps=(Gap(cause, next_step),)) for index in range(len(sources)))


def _places(cluster: Cluster, source: ServersFrom, default: str) -> tuple[tuple[str, ...], tuple[Gap, ...]]:
    """The namespaces of a source, and why these are not all."""
    if source.namespace_selector is None:
        return tuple(dict.fromkeys(source.namespaces)) or (default,), ()
    found, gaps = _list(cluster, NAMESPACES, source.namespace_selector, None)
    return tuple(str(metadata["name"]) for metadata in found), gaps


def _listing(index: int, source: ServersFrom, gaps: tuple[Gap, ...], parts: Sequence[_Found]) -> Listing:
    objects = (listed_object(source.kind, metadata) for found, _ in parts for metadata in found)
    return Listing(
        _name(index),
        tuple(sorted(objects, key=lambda o: (o.namespace, o.name))),
        (*gaps, *(gap for _, more in parts for gap in more)),
    )


def _name(index: int) -> str:
    return f"serversFrom[{index}]"


def listed_object(kind: str, metadata: _Metadata) -> ListedObject:
    """An object by its metadata."""
    labels = metadata.get("labels") or {}
    return ListedObject(kind, str(metadata.get("namespace")), str(metadata["name"]), dict(labels))


def _list(cluster: Cluster, resource: _Resource, selector: LabelSelector, namespace: str | None) -> _Found:
    """Page after page, until the last one or the first that cannot be read."""
    api_version, plural = resource
    wanted = Permission("list", api_version.rpartition("/")[0], plural, namespace)
    path = api_path(api_version, plural, namespace)
    params = {"limit": str(PAGE_SIZE), "labelSelector": selector.query()}
    found: list[_Metadata] = []
    while True:
        try:
            response = cluster.request("GET", path, params=params, headers=METADATA_LIST)
        except ClusterError as error:
            return tuple(found), (Gap(error.cause, error.next_step),)
        page = _page(cluster, wanted, response)
        if isinstance(page, Gap):
            return tuple(found), (page,)
        metadata, following = page
        found += metadata
        if not following:
            return tuple(found), ()
        if following == params.get("continue"):
            gap = Gap(f"the Kubernetes API at {cluster.server} gives one page over and over")
            return tuple(found), (gap,)
        params["continue"] = following


def _page(
    cluster: Cluster, wanted: Permission, response: httpx.Response
) -> tuple[list[_Metadata], str] | Gap:
    """The objects of a page, and the token of the next one."""
    if response.status_code == httpx.codes.FORBIDDEN:
        return Gap(f"the Kubernetes API at {cluster.server} does not let us {wanted}", lacks=wanted)
    if response.is_error:
        error = refusal(cluster.server, response, f"to {wanted}")
        return Gap(error.cause, error.next_step)
    try:
        answer = response.json()
        # Of an empty list of metadata the API says that its items are null.
        metadata = [item["metadata"] for item in answer["items"] or ()]
        complete = answer["kind"].endswith("List") and all(isinstance(m["name"], str) for m in metadata)
        following = answer["metadata"].get("continue") or ""
    except (ValueError, TypeError, KeyError, AttributeError):
        complete = False
    if not complete:
        return Gap(f"what the Kubernetes API at {cluster.server} answered to {wanted} is not a list")
    return metadata, following
