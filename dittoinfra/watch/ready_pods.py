"""Which adapters have a ready Pod behind their Service, as EndpointSlices say: it starts no run."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dittoinfra import naming
from dittoinfra.decide.readiness import leads_to_pod
from dittoinfra.nested_values import block
from dittoinfra.object_model import SERVICE_NAME_LABEL
from dittoinfra.program.survey import RunRecord
from dittoinfra.watch.metrics import StackMetrics
from dittoinfra.watch.watch_events import EventKind

Slices = Mapping[str, Sequence[Mapping[str, Any]]]
"""The EndpointSlices of adapters, by namespace; without namespaces in which they are not followed."""


@dataclass(slots=True)
class ReadyPods:
    """What is known of the adapters of one stack."""

    emit: Callable[[EventKind, str, str], None]
    metrics: StackMetrics
    _ready: dict[str, bool] = field(default_factory=dict)
    """Of adapters that were ready at least once: the Pod of a new one may be there in a moment."""

    def update(self, record: RunRecord, slices: Slices) -> None:
        """Tell every adapter whose Service has lost its last ready Pod, or has one again."""
        declared, found = tuple(_services(record)), _by_service(slices)
        adapters: Counter[str] = Counter()
        for this in declared:
            if this.namespace not in slices:
                continue
            now = any(leads_to_pod(each, this.service, this.port) for each in found[this.place])
            before = self._ready.get(this.adapter)
            if now and before is False:
                text = f"{this.adapter} has a ready Pod behind its Service again"
                self.emit(EventKind.READY, text, this.server)
            elif before and not now:
                text = f"{this.adapter} has no ready Pod behind its Service any more"
                self.emit(EventKind.UNREADY, text, this.server)
            if now or before is not None:
                self._ready[this.adapter] = now
            adapters[this.server] += now
        for server, count in adapters.items():
            self.metrics.ready(server, count)
        names = {this.adapter for this in declared}
        self._ready = {adapter: ready for adapter, ready in self._ready.items() if adapter in names}


def _by_service(slices: Slices) -> Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]:
    found: defaultdict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for namespace, these in slices.items():
        for each in these:
            found[namespace, str(block(each, "metadata", "labels").get(SERVICE_NAME_LABEL))].append(each)
    return found


class _Service(NamedTuple):
    """The Service of an adapter."""

    server: str
    adapter: str
    namespace: str
    service: str
    port: str
    """The name of its data port."""

    @property
    def place(self) -> tuple[str, str]:
        return self.namespace, self.service


def _services(record: RunRecord) -> Iterator[_Service]:
    for server in record.decision.declared:
        for adapter in record.decision.adapters.servers[server.name].adapters:
            yield _Service(
                server.name,
                naming.adapter_resource(server.name, adapter.type),
                server.namespace,
                naming.adapter_service(server.name, adapter.type),
                naming.port_name(f"adapter-{adapter.type}"),
            )


def namespaces(record: RunRecord) -> frozenset[str]:
    """The namespaces with a Service of an adapter."""
    return frozenset(this.namespace for this in _services(record))
