"""Objects as they are in the cluster now, many of them read side by side and in the background.

No request takes longer than a few seconds: a cluster that does not answer costs one timeout, however many
objects are read.
"""

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from dittoinfra.kubernetes.cluster_client import AT_ONCE, Cluster
from dittoinfra.kubernetes.cluster_errors import ClusterError, RefusedByClusterError
from dittoinfra.kubernetes.objects import list_objects, read_object
from dittoinfra.naming import RESTARTED_ANNOTATION, port_text
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import LiveObject, LiveObjects, ObjectPlace

_METADATA_ONLY = frozenset({"Secret", "Namespace"})
"""Kinds that are read one by one, because most users may not list them, and without their content."""

_Kind = tuple[str, str, str]
"""API version, kind and namespace: what one listing is about."""
_Listed = Mapping[str, LiveObject]
"""Objects by name."""


class ObjectReader:
    """Reads objects of one cluster. To be used from one thread."""

    def __init__(self, cluster: Cluster, selector: str) -> None:
        """Connect in the background. `selector` is what most of the objects are labelled with."""
        self._selector = selector
        self._cluster = cluster
        cluster.credentials()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="objects")
        self._listings: dict[_Kind, Future[_Listed | None]] = {}
        self._reads: dict[ObjectPlace, Future[LiveObject | None]] = {}
        self.trouble = ""
        """Why something could not be read; empty where everything was."""

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        # Do not wait for answers that are not needed any more. Connections are closed after the last one: a
        # connection that is opened while its client closes would stay open.
        self._pool.shutdown(wait=False, cancel_futures=True)
        threading.Thread(target=self._close, name="objects-close").start()

    def prefetch(self, places: Iterable[ObjectPlace]) -> None:
        """Begin to read these objects, and return at once."""
        for place in places:
            kind = _kind(place)
            if place.kind in _METADATA_ONLY:
                self._begin_read(place)
            elif kind not in self._listings:
                self._listings[kind] = self._pool.submit(self._list, kind)

    def read(self, places: Iterable[ObjectPlace]) -> LiveObjects:
        """These objects, None for one that does not exist. What cannot be read is left out."""
        wanted = list(dict.fromkeys(places))
        self.prefetch(wanted)
        seen: dict[ObjectPlace, LiveObject | None] = {}
        for place in wanted:
            try:
                seen[place] = self._listed(place)
            except ClusterError as error:
                self.trouble = str(error)
        # Not listed does not mean deleted: a label may have been removed.
        unsure = [place for place, found in seen.items() if found is None]
        for place in unsure:
            self._begin_read(place)
        for place in unsure:
            try:
                seen[place] = self._reads[place].result()
            except ClusterError as error:
                self.trouble = str(error)
                del seen[place]
        return seen

    def _close(self) -> None:
        self._pool.shutdown()
        self._cluster.__exit__()

    def _listed(self, place: ObjectPlace) -> LiveObject | None:
        listing = self._listings.get(_kind(place))
        listed = listing.result() if listing is not None else None
        return listed.get(place.name) if listed else None

    def _begin_read(self, place: ObjectPlace) -> None:
        if place not in self._reads:
            self._reads[place] = self._pool.submit(self._read, place)

    def _list(self, kind: _Kind) -> _Listed | None:
        """None where listing is not allowed: then every object is read by itself."""
        try:
            found = list_objects(self._cluster, *kind, selector=self._selector)
        except RefusedByClusterError:
            return None
        return {str(live["metadata"]["name"]): _live(live) for live in found}

    def _read(self, place: ObjectPlace) -> LiveObject | None:
        kind = _kind(place)
        # Without its definition a kind's objects are out of sight, and perhaps not gone.
        if self._cluster.path(*kind) is None:
            raise ClusterError(f"the Kubernetes API at {self._cluster.server} does not know {place.kind}")
        only = place.kind in _METADATA_ONLY
        found = read_object(self._cluster, *kind, place.name, metadata_only=only)
        return None if found is None else _live(found)


def _kind(place: ObjectPlace) -> _Kind:
    return place.api_version, place.kind, place.namespace


def _live(found: Mapping[str, Any]) -> LiveObject:
    template = block(found, "spec", "template")
    containers = block(template, "spec").get("containers") or ()
    return LiveObject(
        found["metadata"],
        text(block(template, "metadata", "annotations"), RESTARTED_ANNOTATION),
        frozenset(
            port_text(port.get("name", ""), port["containerPort"], port["protocol"])
            for container in containers
            for port in container.get("ports") or ()
        ),
        found,
    )
