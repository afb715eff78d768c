"""What EndpointSlices say of adapters is told when it changes."""

from typing import Any

from dittoinfra.model import RememberedAdapter
from dittoinfra.watch.metrics import Metrics, StackMetrics
from dittoinfra.watch.ready_pods import ReadyPods, namespaces
from dittoinfra.watch.watch_events import EventKind
from tests.pure.decide.make import answer, server, serving
from tests.unit.status.make import record

RECORD = record(
    [server("media", namespace="files")],
    {"media": {"nfs": RememberedAdapter("nfs", 12049)}},
    {"media": answer(serving("nfs", 12049), serving("smb", 12445))},
)


def _slice(adapter_type: str, *, ready: bool) -> dict[str, Any]:
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": f"media-adapter-{adapter_type}"}},
        "ports": [{"name": f"adapter-{adapter_type}"}],
        "endpoints": [{"addresses": ["192.0.2.7"], "conditions": {"ready": ready}}],
    }


def test_losing_the_last_ready_pod_and_having_one_again_are_told_once_each() -> None:
    told: list[tuple[EventKind, str, str]] = []
    pods = ReadyPods(lambda *event: told.append(event), StackMetrics(metrics := Metrics(), "prod"))

    def ready() -> float | None:
        labels = {"stack": "prod", "server": "media"}
        return metrics.registry.get_sample_value("dittoinfra_watch_ready_adapters", labels)

    both = [_slice("nfs", ready=True), _slice("smb", ready=True)]
    pods.update(RECORD, {"files": []})
    assert ready() == 0
    pods.update(RECORD, {"files": both})
    assert ready() == 2
    # Another Pod of the same Service is still ready.
    pods.update(RECORD, {"files": [*both, _slice("nfs", ready=False)]})
    assert told == []
    pods.update(RECORD, {"files": [_slice("nfs", ready=False), _slice("smb", ready=True)]})
    pods.update(RECORD, {"files": [_slice("smb", ready=True)]})
    assert ready() == 1
    pods.update(RECORD, {"files": both})

    assert told == [
        (EventKind.UNREADY, "media/nfs has no ready Pod behind its Service any more", "media"),
        (EventKind.READY, "media/nfs has a ready Pod behind its Service again", "media"),
    ]


def test_what_changes_while_slices_are_not_followed_is_told_when_they_are_again() -> None:
    told: list[tuple[EventKind, str, str]] = []
    pods = ReadyPods(lambda *event: told.append(event), StackMetrics(Metrics(), "prod"))

    pods.update(RECORD, {"files": [_slice("nfs", ready=True), _slice("smb", ready=True)]})
    pods.update(RECORD, {})
    assert told == []
    pods.update(RECORD, {"files": [_slice("nfs", ready=False), _slice("smb", ready=True)]})

    assert namespaces(RECORD) == {"files"}
    assert [event[0] for event in told] == [EventKind.UNREADY]
