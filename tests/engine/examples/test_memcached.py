"""The Memcached example gives the manifest that the Memcached operator's reference shows, field by field."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.kubernetes import connect
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore, FolderStore, StandInProvider
from tests.engine.examples.project import Example

IDENTITY = {
    "app.kubernetes.io/name": "memcached",
    "app.kubernetes.io/instance": "my-cache",
    "app.kubernetes.io/managed-by": "memcached-operator",
}
MINIMAL: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "my-cache", "namespace": "default", "labels": IDENTITY},
    "spec": {
        "clusterIP": "None",
        "selector": IDENTITY,
        "ports": [{"name": "memcached", "port": 11211, "targetPort": "memcached", "protocol": "TCP"}],
    },
}
ANNOTATIONS = {"prometheus.io/scrape": "true", "prometheus.io/port": "11211"}
ANNOTATED = MINIMAL | {"metadata": MINIMAL["metadata"] | {"annotations": ANNOTATIONS}}
FULL = MINIMAL | {
    "spec": MINIMAL["spec"]
    | {
        "ports": [
            *MINIMAL["spec"]["ports"],
            {"name": "memcached-tls", "port": 11212, "targetPort": "memcached-tls", "protocol": "TCP"},
            {"name": "metrics", "port": 9150, "targetPort": "metrics", "protocol": "TCP"},
        ]
    }
}
"""With TLS and monitoring on, as version 0.4 of the operator makes it; its reference page is older."""


@pytest.fixture
def example(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Example]:
    """The example, whose manifests land in a folder."""
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider:
        yield Example.copied("memcached", tmp_path, pulumi_cli, provider.environment())


@pytest.mark.parametrize(
    ("stack", "manifest"), [("minimal", MINIMAL), ("annotated", ANNOTATED), ("full", FULL)]
)
def test_the_manifest_is_the_reference_s(
    example: Example, tmp_path: Path, stack: str, manifest: dict[str, Any]
) -> None:
    report, objects = example.preview(stack)
    assert report.ok, report.lines("error")
    assert objects == [manifest]

    report = example.up(stack)

    assert report.ok, report.lines("error")
    [written] = (tmp_path / "manifests").rglob("*.yaml")
    assert yaml.safe_load(written.read_text()) == manifest


def test_the_outputs_say_where_clients_connect(example: Example) -> None:
    assert example.up("full").ok
    host = "my-cache.default.svc"
    endpoints = {"memcached": f"{host}:11211", "memcached-tls": f"{host}:11212", "metrics": f"{host}:9150"}
    assert example.outputs("full") == {"host": host, "endpoints": endpoints}

    example.configure("full", {"memcached:tls": False})
    report = example.up("full")

    assert report.changes == Changes(update=1, same=2)
    del endpoints["memcached-tls"]
    assert example.outputs("full") == {"host": host, "endpoints": endpoints}


def test_an_annotation_that_is_no_longer_configured_goes(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> None:
    namespace = kubernetes_api.namespace()
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster)) as provider,
        kubernetes_api.client() as client,
    ):
        example = Example.copied("memcached", tmp_path, pulumi_cli, provider.environment())
        example.configure(
            "annotated",
            {
                "memcached:namespace": namespace,
                "kubernetes:renderYamlToDirectory": None,
                "kubernetes:kubeconfig": str(kubernetes_api.kubeconfig),
            },
        )
        assert example.up("annotated").ok
        made = _service(client, namespace)
        assert made["metadata"]["annotations"].items() >= ANNOTATIONS.items()
        assert made["spec"]["clusterIP"] == "None"

        example.configure("annotated", {"memcached:annotations": {"prometheus.io/scrape": "true"}})
        assert example.up("annotated").changes == Changes(update=1, same=2)
        assert "prometheus.io/port" not in _service(client, namespace)["metadata"]["annotations"]

        example.configure("annotated", {"memcached:annotations": None})
        assert example.up("annotated").changes == Changes(update=1, same=2)
        assert not _service(client, namespace)["metadata"].get("annotations", {}).keys() & ANNOTATIONS.keys()


@pytest.mark.parametrize(
    ("wrong", "problems"),
    [
        (
            {"memcached:name": "My_Cache"},
            ["name: must be lower-case letters, digits and '-' between them (it is 'My_Cache')"],
        ),
        (
            {
                "memcached:namespace": "a.b",
                "memcached:annotations": {"a b": "c", "prometheus.io/port": 11211},
            },
            [
                "annotations.a b: must be a Kubernetes key, such as example.com/name (it is 'a b')",
                "annotations.prometheus.io/port: must be text: write it in quotes (it is 11211)",
                "namespace: must be lower-case letters, digits and '-' between them (it is 'a.b')",
            ],
        ),
    ],
    ids=["name", "everything at once"],
)
def test_what_kubernetes_would_refuse_is_refused_before_anything_is_declared(
    example: Example, wrong: dict[str, object], problems: list[str]
) -> None:
    example.configure("minimal", wrong)

    report, objects = example.preview("minimal")

    name, lines = wrong.get("memcached:name", "my-cache"), report.lines("error")
    # A line that has the component's name in it anyway is not given it once more.
    label = f"HeadlessService {name}: "
    *said, last = lines
    assert said == [problem if str(name) in problem else label + problem for problem in problems]
    assert last.startswith(f"HeadlessService {name} was rejected, so nothing was declared for it")
    assert objects == []


def _service(client: httpx.Client, namespace: str) -> dict[str, Any]:
    response = client.get(f"/api/v1/namespaces/{namespace}/services/my-cache")
    response.raise_for_status()
    return dict(response.json())
