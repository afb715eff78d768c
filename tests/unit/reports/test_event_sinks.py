"""Sinks that cannot write say so once."""

import io
from datetime import UTC, datetime

from dittoinfra.reports.events import Event, EventObject, JsonLines
from dittoinfra.reports.events.event_sinks import manifest


def event(**fields: object) -> Event:
    given: dict[str, object] = {
        "time": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "stack": "prod",
        "server": "media",
        "adapter": "nfs",
        "reason": "AdapterServiceCreated",
        "type": "Normal",
        "action": "Create",
        "cause": "served, not in the stack yet",
        "message": "Service media-adapter-nfs created",
        "planned": False,
        "object": EventObject(api_version="v1", kind="Service", namespace="files", name="media", uid=None),
    }
    return Event.model_validate(given | fields)


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_one_line() -> None:
    troubles: list[str] = []
    sink = JsonLines(FullDisk(), troubles.append)

    for _ in range(3):
        sink.write(event())

    [line] = troubles
    assert "No space left on device" in line


def test_a_stream_that_was_closed_is_one_line() -> None:
    troubles: list[str] = []
    stream = io.StringIO()
    stream.close()

    JsonLines(stream, troubles.append).write(event())

    assert len(troubles) == 1


def test_a_kubernetes_event_keeps_to_the_api_s_limits() -> None:
    name = "m" * 253
    about = EventObject(api_version="v1", kind="Namespace", namespace=None, name=name, uid=None)
    made = manifest(event(message="é" * 1000, stack="s" * 300, object=about))

    assert len(made["metadata"]["name"]) == 253
    assert made["metadata"]["namespace"] == "default"
    assert len(made["note"].encode()) <= 1024
    assert len(made["reportingInstance"]) == 128
    assert made["regarding"] == {"apiVersion": "v1", "kind": "Namespace", "name": name}
    assert made["eventTime"] == "2026-01-02T03:04:05.000000Z"
