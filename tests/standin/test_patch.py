"""Patches: a few fields on an object that others made, taken and given back."""

from pathlib import Path

import pytest
import yaml
from pulumi import automation as auto
from pulumi_kubernetes.apps.v1 import StatefulSetPatch, StatefulSetSpecPatchArgs
from pulumi_kubernetes.core.v1 import (
    ContainerPatchArgs,
    ContainerPortPatchArgs,
    PodSpecPatchArgs,
    PodTemplateSpecPatchArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgs

from dittoinfra.cluster import Cluster
from dittoinfra.standin import FolderStore, StandInProvider
from tests.standin.bench import UNCHANGED, Bench
from tests.standin.objects import Object, Objects

LABELS = {"app": "dittofs-server", "instance": "files"}


@pytest.fixture
def stateful_sets(cluster: Cluster, namespace: str) -> Objects:
    return Objects(cluster, f"/apis/apps/v1/namespaces/{namespace}/statefulsets")


def test_a_patch_adds_ports_to_a_foreign_object_and_gives_them_back(
    api_bench: Bench, stateful_sets: Objects, namespace: str
) -> None:
    # given a StatefulSet that others made
    theirs = stateful_sets.create(_stateful_set())

    # when a port is patched in, only that port is new
    api_bench.up(lambda: _patch(namespace, 12049))
    patched = stateful_sets.live("files")
    assert _ports(patched) == [8080, 12049]
    assert patched["metadata"]["uid"] == theirs["metadata"]["uid"]
    assert api_bench.preview(lambda: _patch(namespace, 12049)) == UNCHANGED
    assert api_bench.refresh() == {"same": 2}

    # when the patch changes its mind, its old port goes and theirs stays
    api_bench.up(lambda: _patch(namespace, 12445))
    assert _ports(stateful_sets.live("files")) == [8080, 12445]

    # when the patch is destroyed, the object is as they made it
    api_bench.destroy()
    released = stateful_sets.live("files")
    assert released["spec"] == theirs["spec"]
    assert released["metadata"]["uid"] == theirs["metadata"]["uid"]


def test_a_patch_of_nothing_says_so(api_bench: Bench, stateful_sets: Objects, namespace: str) -> None:
    message = api_bench.failure(lambda: _patch(namespace, 12049))

    assert f"StatefulSet {namespace}/files does not exist" in message
    assert "a StatefulSetPatch only changes what others made" in message
    assert stateful_sets.get("files") is None


def test_giving_back_what_is_gone_does_not_revive_it(
    api_bench: Bench, stateful_sets: Objects, namespace: str
) -> None:
    stateful_sets.create(_stateful_set())
    api_bench.up(lambda: _patch(namespace, 12049))
    stateful_sets.delete("files")

    api_bench.destroy()

    assert stateful_sets.get("files") is None


def test_in_a_folder_a_patch_is_a_manifest_of_its_own(pulumi_cli: auto.PulumiCommand, tmp_path: Path) -> None:
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider:
        bench = Bench(pulumi_cli, tmp_path / "engine", provider.environment())
        bench.up(lambda: _patch("files", 12049))
        [path] = (tmp_path / "manifests/dev/files").iterdir()
        manifest = yaml.safe_load(path.read_text())
        bench.destroy()

    assert path.name.startswith("statefulset-files-")
    assert path.name.endswith("-patch.yaml")
    assert _ports(manifest) == [12049]
    assert not path.exists()


def _patch(namespace: str, port: int) -> None:
    ports = [ContainerPortPatchArgs(name="adapter", container_port=port, protocol="TCP")]
    containers = [ContainerPatchArgs(name="dittofs", ports=ports)]
    StatefulSetPatch(
        "ports",
        metadata=ObjectMetaPatchArgs(name="files", namespace=namespace),
        spec=StatefulSetSpecPatchArgs(
            template=PodTemplateSpecPatchArgs(spec=PodSpecPatchArgs(containers=containers))
        ),
    )


def _stateful_set() -> Object:
    container = {"name": "dittofs", "image": "dittofs", "ports": [{"name": "api", "containerPort": 8080}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "files", "labels": LABELS},
        "spec": {
            "serviceName": "files-headless",
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}},
        },
    }


def _ports(stateful_set: Object) -> list[int]:
    [container] = stateful_set["spec"]["template"]["spec"]["containers"]
    return [port["containerPort"] for port in container["ports"]]
