"""Who wrote which field of an object."""

from typing import Any

import pytest

from dittoinfra.decide.managed_fields import Path, path_text, writer, writes

LIVE: dict[str, Any] = {
    "metadata": {"labels": {"app": "web", "tier": "gold"}, "finalizers": ["example.com/hold"]},
    "spec": {"ports": [{"name": "nfs", "port": 2049}, {"port": 9, "protocol": "UDP"}]},
    "status": {"loadBalancer": {}},
}


def live(*entries: dict[str, Any]) -> dict[str, Any]:
    return {**LIVE, "metadata": {**LIVE["metadata"], "managedFields": list(entries)}}


def test_fields_items_and_values_have_the_names_that_people_use() -> None:
    tree = {
        "f:metadata": {
            "f:labels": {".": {}, "f:tier": {}, "f:gone": {}},
            "f:finalizers": {".": {}, 'v:"example.com/hold"': {}},
        },
        "f:spec": {
            "f:ports": {
                'k:{"port":9,"protocol":"UDP"}': {".": {}, "f:port": {}},
                'k:{"port":2049,"protocol":"TCP"}': {"f:name": {}},
            }
        },
    }

    found = writes(live({"manager": "lens", "time": "2026-01-01T00:00:00Z", "fieldsV1": tree}))

    assert [(path_text(this.path), this.value) for this in found] == [
        ("metadata.labels.tier", "gold"),
        ("metadata.finalizers[example.com/hold]", "example.com/hold"),
        ("spec.ports[9 UDP]", {"port": 9, "protocol": "UDP"}),
        ("spec.ports[nfs].name", "nfs"),
    ]
    assert {(this.manager, this.at) for this in found} == {("lens", "2026-01-01T00:00:00Z")}


def test_the_status_is_not_declared() -> None:
    entry = {"manager": "cloud", "subresource": "status", "fieldsV1": {"f:status": {"f:loadBalancer": {}}}}

    assert writes(live(entry)) == ()


@pytest.mark.parametrize("path", [("metadata", "labels", "tier"), ("metadata", "labels"), ("spec", "ports")])
def test_a_writer_of_a_part_is_one_of_the_whole(path: Path) -> None:
    tree: dict[str, Any] = {"f:metadata": {"f:labels": {"f:tier": {}}}}
    found = writer(writes(live({"manager": "lens", "fieldsV1": tree})), path)

    assert (found.manager if found else None) == ("lens" if path[0] == "metadata" else None)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "ports", "[nfs]", "port"), "spec.ports[nfs].port"),
        (("metadata", "labels", "example.com/tier"), 'metadata.labels["example.com/tier"]'),
        (("data", "config.yaml"), 'data["config.yaml"]'),
    ],
)
def test_a_path_reads_as_people_write_it(path: Path, text: str) -> None:
    assert path_text(path) == text
