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

from dittoinfra.kubernetes import Cluster
from lab.standin import FolderStore, StandInProvider
from lab.standin.annotations import SKIP_AWAIT
from tests.contract.standin.bench import Bench
from tests.contract.standin.objects import Object, Objects

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

    # and the patch never comes to rest: lists are compared by position, and the first port is theirs
    paths = [f"spec.template.spec.containers[0].ports[0].{name}" for name in ("containerPort", "name")]
    assert api_bench.changed_paths(lambda: _patch(namespace, 12049)) == {"ports": paths}

    # when the patch changes its mind, its old port goes and theirs stays
    api_bench.up(lambda: _patch(namespace, 12445))
    assert _ports(stateful_sets.live("files")) == [8080, 12445]

    # when the patch is destroyed, the object is as they made it
    api_bench.destroy()
    released = stateful_sets.live("files")
    assert released["spec"] == theirs["spec"]
    assert released["metadata"]["uid"] == theirs["metadata"]["uid"]


def test_a_patch_of_nothing_makes_nothing(api_bench: Bench, stateful_sets: Objects, namespace: str) -> None:
    message = api_bench.failure(lambda: _patch(namespace, 12049))

    assert 'StatefulSet.apps "files" is invalid: [spec.selector: Required value' in message
    assert stateful_sets.get("files") is None


def test_giving_back_what_is_gone_does_not_revive_it(
    api_bench: Bench, stateful_sets: Objects, namespace: str
) -> None:
    stateful_sets.create(_stateful_set())
    api_bench.up(lambda: _patch(namespace, 12049))
    stateful_sets.delete("files")

    with pytest.raises(auto.CommandError, match="currently managing a required field"):
        api_bench.destroy()
    api_bench.refresh()
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
        metadata=ObjectMetaPatchArgs(name="files", namespace=namespace, annotations={SKIP_AWAIT: "true"}),
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
