"""Objects as they are in the cluster now, many of them read side by side and in the background.

No request takes longer than a few seconds: a cluster that does not answer costs two timeouts, however many
objects are read. What is not listed is read by itself, whatever the reason: a run must know what exists.
"""

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from dittoinfra.kubernetes.cluster_client import AT_ONCE, Cluster
from dittoinfra.kubernetes.cluster_errors import ClusterError, NoClusterError, RefusedByClusterError
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


class _UnknownKindError(Exception):
    """The cluster does not know the kind of an object."""


class ObjectReader:
    """Reads objects of one cluster. To be used from one thread."""

    def __init__(self, cluster: Cluster, selector: str) -> None:
        """Connect in the background. `selector` is what most of the objects are labelled with."""
        self._selector = selector
        self._cluster = cluster
        cluster.credentials()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="objects")
        self._listings: dict[_Kind, Future[_Listed]] = {}
        self._reads: dict[ObjectPlace, Future[LiveObject | None]] = {}
        self._unlisted: set[_Kind] = set()
        """Kinds whose listing the cluster did not answer."""
        self._silent: ClusterError | None = None
        """Why the cluster did not answer about a single object of such a kind either."""
        self.unread: dict[ObjectPlace, str] = {}
        """Why an object could not be read; nothing where there is no cluster, or no such kind in it."""

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
        seen = {place: self._listed(place) for place in wanted}
        # Not listed does not mean deleted: a label may have been removed.
        unsure = [place for place, found in seen.items() if found is None]
        for place in unsure:
            self._begin_read(place)
        for place in unsure:
            try:
                seen[place] = self._reads[place].result()
            except (_UnknownKindError, NoClusterError):
                del seen[place]
            except ClusterError as error:
                self.unread[place] = str(error)
                del seen[place]
        return seen

    def _close(self) -> None:
        self._pool.shutdown()
        self._cluster.__exit__()

    def _listed(self, place: ObjectPlace) -> LiveObject | None:
        listing = self._listings.get(_kind(place))
        return listing.result().get(place.name) if listing is not None else None

    def _begin_read(self, place: ObjectPlace) -> None:
        if place not in self._reads:
            self._reads[place] = self._pool.submit(self._read, place)

    def _list(self, kind: _Kind) -> _Listed:
        try:
            found = list_objects(self._cluster, *kind, selector=self._selector)
        except RefusedByClusterError:
            return {}
        except ClusterError:
            self._unlisted.add(kind)
            return {}
        return {str(live["metadata"]["name"]): _live(live) for live in found}

    def _read(self, place: ObjectPlace) -> LiveObject | None:
        kind = _kind(place)
        if self._silent is not None and kind in self._unlisted:
            raise self._silent
        try:
            return self._read_one(kind, place)
        except RefusedByClusterError:
            raise
        except ClusterError as error:
            if kind in self._unlisted:
                self._silent = error
            raise

    def _read_one(self, kind: _Kind, place: ObjectPlace) -> LiveObject | None:
        # Without its definition a kind's objects are out of sight, and perhaps not gone.
        if self._cluster.path(*kind) is None:
            raise _UnknownKindError
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
