"""What the cluster says of one stack's servers and Services, followed from run to run.

Only what a run itself would ask for is followed, with the same selectors and in the same namespaces: objects
of `serversFrom`, and Services whose addresses are in host names or in the stack's outputs. A run lists it all
again: what is seen here is a reason for one, and nothing else. EndpointSlices are followed as well: no run
depends on them, so what they say is told.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.names import unlocated_namespaces
from dittoinfra.kubernetes.object_watch import Followed, ObjectWatch, WatchedKind
from dittoinfra.kubernetes.server_listing import NAMESPACES, SERVER_RESOURCES, listed_object
from dittoinfra.model import ListedObject, Located, StackMemory
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings.selectors import ServersFrom
from dittoinfra.state import ingress_addresses, located
from dittoinfra.watch.adapter_changes import AdapterChange
from dittoinfra.watch.cluster_changes import (
    Balancers,
    address_changes,
    balancer_changes,
    kept_addresses,
    listing_changes,
    stored_balancers,
)
from dittoinfra.watch.ready_pods import ReadyPods, Slices, namespaces

Warn = Callable[[str], None]


@dataclass(slots=True)
class ClusterFollower:
    """All that is followed of one stack, for the whole watch."""

    warn: Warn
    pods: ReadyPods
    _cluster: ProviderCluster | None = None
    _cluster_key: object = None
    """The provider's settings that led to the cluster."""
    _record: RunRecord | None = None
    """The last run that was told anything, whether it succeeded or not."""
    _declared: RunRecord | None = None
    """The last run that succeeded, or the first one until then: whose Pods are told of."""
    _memory: StackMemory = field(default_factory=dict)
    _stored: Balancers = field(default_factory=dict)
    _answered: Balancers = field(default_factory=dict)
    """Addresses that a run was begun for: one that does not store them is not followed by another."""
    _notify: Callable[[], None] = lambda: None
    _running: bool = False
    """Whether a run is under way, which adds and removes Services itself."""
    _watches: dict[WatchedKind, tuple[ObjectWatch, "asyncio.Task[None]"]] = field(default_factory=dict)
    _warned: str = ""
    _empty: bool = False
    _changes: Mapping[str, tuple[AdapterChange, ...]] | None = None
    """None where they have to be compared again."""

    async def follow(
        self,
        record: RunRecord,
        memory: StackMemory,
        outputs: Mapping[str, Any],
        environ: Mapping[str, str],
        notify: Callable[[], None],
        *,
        failed: bool = False,
    ) -> None:
        """Compare with what this run was told from now on; `notify` is called when something changes.

        `outputs` are those of the stack since. Of one that `failed`, what it declares is not there.
        """
        led_to = record.configuration.kubeconfig(environ), record.configuration.context
        if led_to != self._cluster_key or record.configuration.manifests is not None:
            await self.close()
            self._cluster_key = led_to
            self._cluster = ProviderCluster.of(record.configuration, environ)
        self._record, self._memory, self._notify, self._changes = record, memory, notify, None
        if not failed or self._declared is None:
            self._declared = record
        named = _named_namespaces(record)
        stored = stored_balancers(outputs).items()
        self._stored = {place: addresses for place, addresses in stored if place[0] not in named}
        self._running = False
        self._arrange()
        self._tell_pods()

    def begin_run(self) -> None:
        """A run begins: until its end nothing is told, and then it is compared with what the run was told."""
        self._running = True
        self._notify = lambda: None
        self._answered, self._changes = self._balancers(), None

    def end_run(self, notify: Callable[[], None]) -> None:
        """A run has ended without a result to compare with: everything is followed as before it."""
        self._running = False
        self._notify = notify
        self._tell_pods()

    async def close(self) -> None:
        """Follow nothing any more."""
        tasks = [task for _, task in self._watches.values()]
        self._watches.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def changes(self) -> Mapping[str, tuple[AdapterChange, ...]]:
        """What a run would change, by server; an empty name for what belongs to none."""
        if self._changes is None:
            self._changes = self._compared(self._record) if self._record is not None else {}
        return self._changes

    def _compared(self, record: RunRecord) -> Mapping[str, tuple[AdapterChange, ...]]:
        listed = self._listed(record)
        if listed == [] and record.decision.found and not self._empty:
            self.warn("the cluster lists no server any more: that alone starts no run, and removes nothing")
        self._empty = listed == []
        found = dict(listing_changes(record, self._memory, listed)) if listed is not None else {}
        told = record.answers.facts.services if record.answers.facts is not None else {}
        kept = kept_addresses(record.decision.names)
        balancers = {at: now for at, now in self._balancers().items() if now != self._answered.get(at)}
        addresses = (
            *address_changes(told, self._located(record), kept),
            *balancer_changes(self._stored, balancers),
        )
        if addresses:
            found[""] = addresses
        return found

    def _arrange(self) -> None:
        """Follow everything that is wanted now, and nothing else."""
        wanted = dict.fromkeys(self._wanted(self._record)) if self._record and self._cluster else {}
        for gone in self._watches.keys() - wanted.keys():
            self._watches.pop(gone)[1].cancel()
        for selection in wanted:
            if selection not in self._watches and self._cluster is not None:
                watch = ObjectWatch(self._cluster, selection, self._changed)
                self._watches[selection] = watch, asyncio.create_task(watch.follow())

    def _changed(self) -> None:
        # Namespaces may have come or gone, too.
        self._arrange()
        self._changes = None
        self._tell_pods()
        troubles = [str(watch.trouble) for watch, _ in self._watches.values() if watch.trouble is not None]
        now = troubles[0] if troubles else ""
        if now and now != self._warned:
            self.warn(f"the cluster is not followed: {now}; the next run lists it")
        self._warned = now
        self._notify()

    def _wanted(self, record: RunRecord) -> Iterator[WatchedKind]:
        for source in record.settings.servers_from:
            if source.namespace_selector is not None:
                yield _namespaces(source)
            yield from self._places(record, source) or ()
        for namespace in (*_named_namespaces(record), *(namespace for namespace, _ in self._stored)):
            yield _services(namespace)
        yield from map(_endpoint_slices, sorted(namespaces(self._declared or record)))

    def _tell_pods(self) -> None:
        if self._declared is not None and not self._running:
            self.pods.update(self._declared, self._slices(self._declared))

    def _slices(self, record: RunRecord) -> Slices:
        followed = {
            namespace: self._followed(_endpoint_slices(namespace)) for namespace in namespaces(record)
        }
        return {
            namespace: tuple(found.values()) for namespace, found in followed.items() if found is not None
        }

    def _places(self, record: RunRecord, source: ServersFrom) -> tuple[WatchedKind, ...] | None:
        """Where a source looks; None while its namespaces are not known."""
        names = tuple(dict.fromkeys(source.namespaces)) or (record.settings.namespace,)
        if source.namespace_selector is not None:
            listed = self._objects(_namespaces(source))
            if listed is None:
                return None
            names = tuple(str(metadata["name"]) for metadata in listed)
        version, plural = SERVER_RESOURCES[source.kind]
        return tuple(WatchedKind(version, plural, name, source.selector.query(), True) for name in names)

    def _listed(self, record: RunRecord) -> list[ListedObject] | None:
        """Every object of every source; None where something is not known yet."""
        found: list[ListedObject] = []
        for source in record.settings.servers_from:
            places = self._places(record, source)
            if places is None:
                return None
            for place in places:
                objects = self._objects(place)
                if objects is None:
                    return None
                found += [listed_object(source.kind, metadata) for metadata in objects]
        return found if record.settings.servers_from else None

    def _located(self, record: RunRecord) -> Mapping[str, Mapping[str, Located]]:
        known: dict[str, Mapping[str, Located]] = {}
        for namespace in _named_namespaces(record):
            objects = self._followed(_services(namespace))
            if objects is not None:
                known[namespace] = {name: located(this) for (_, name), this in objects.items()}
        return known

    def _balancers(self) -> Balancers:
        return {
            (namespace, name): frozenset(ingress_addresses(this))
            for namespace in {namespace for namespace, _ in self._stored}
            for (_, name), this in (self._followed(_services(namespace)) or {}).items()
        }

    def _objects(self, selection: WatchedKind) -> list[Mapping[str, object]] | None:
        objects = self._followed(selection)
        return [this["metadata"] for this in objects.values()] if objects is not None else None

    def _followed(self, selection: WatchedKind) -> Followed | None:
        """What is known of a selection as it is now: an old listing would differ from every further run's."""
        watch, _ = self._watches.get(selection, (None, None))
        return watch.objects if watch is not None and watch.trouble is None else None


def _named_namespaces(record: RunRecord) -> tuple[str, ...]:
    return unlocated_namespaces(record.decision.names)


def _namespaces(source: ServersFrom) -> WatchedKind:
    version, plural = NAMESPACES
    labels = source.namespace_selector.query() if source.namespace_selector is not None else ""
    return WatchedKind(version, plural, None, labels, metadata_only=True)


def _endpoint_slices(namespace: str) -> WatchedKind:
    # They have the labels of their Service.
    return WatchedKind("discovery.k8s.io/v1", "endpointslices", namespace, naming.ADAPTER_SERVICE_LABEL)


def _services(namespace: str) -> WatchedKind:
    return WatchedKind("v1", "services", namespace, naming.ADAPTER_SERVICE_LABEL)
