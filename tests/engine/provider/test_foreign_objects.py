"""A foreign object under a name of ours is never touched."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.stacks.cli_process import CommandLine
from dittoinfra.stacks.result import RunReport
from lab.bed.cluster import KubernetesCluster
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import SERVICES
from tests.engine.world import World, server, world_on

NFS, SMB = f"{SERVICES}/media-adapter-nfs", f"{SERVICES}/media-adapter-smb"
PINNED = {"pinned": [{"type": "nfs", "port": 12049}]}


def foreign(name: str = "media-adapter-nfs", **metadata: object) -> dict[str, Any]:
    return {
        "metadata": {"name": name, **metadata},
        "spec": {"ports": [{"name": "theirs", "port": 1}]},
    }


def refusal(report: RunReport) -> str:
    """The one reason for which a run stopped before it touched anything."""
    assert not report.ok
    assert not [step for step in report.steps if step.type.startswith("kubernetes:")]
    (line,) = dict.fromkeys(
        line.removeprefix("an unhandled error occurred: ") for line in report.lines("error")
    )
    return line


HELM = {"annotations": {"meta.helm.sh/release-name": "files"}, "labels": {"app": "dittofs-server"}}


@pytest.mark.parametrize(
    ("metadata", "maker"), [({}, "written by python-httpx"), (HELM, "of the Helm release files")]
)
def test_a_service_made_by_hand_or_by_helm_stops_preview_and_update(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, metadata: dict[str, Any], maker: str
) -> None:
    before = namespace.create(SERVICES, foreign(**metadata))
    world.configure(server(dittofs, namespace=namespace.name))

    said = [refusal(world.stack.preview()), refusal(world.stack.up())]

    assert said[0] == said[1]
    assert said[0].startswith(
        f"media: Service media-adapter-nfs in namespace {namespace.name} ({maker}) exists already and this "
        "stack did not make it: nothing is touched; set adopt: true on the server"
    )
    assert namespace.get(NFS) == before
    assert [live["metadata"]["name"] for live in namespace.get(SERVICES)["items"]] == ["media-adapter-nfs"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("api/v1:configmaps", {"metadata": {"name": "media-config"}, "data": {"a": "b"}}),
        (SERVICES, foreign("media-headless")),
        (
            "apis/policy/v1:poddisruptionbudgets",
            {"metadata": {"name": "media"}, "spec": {"maxUnavailable": 0}},
        ),
    ],
)
def test_the_same_holds_for_whatever_a_server_consists_of(
    world: World, namespace: Namespace, path: str, body: dict[str, Any]
) -> None:
    before = namespace.create(path, body)
    world.configure(media(namespace.name, deploy={"podDisruptionBudget": True}, adapters=PINNED))

    assert f" {body['metadata']['name']} in namespace" in refusal(world.stack.up())
    after = namespace.get(f"{path}/{body['metadata']['name']}")
    for live in (before, after):
        # A controller may have told meanwhile how it stands.
        live.pop("status", None)
        del live["metadata"]["resourceVersion"], live["metadata"]["managedFields"]
    assert after == before


def test_a_service_of_another_stack_is_left_to_it(
    world: World,
    namespace: Namespace,
    dittofs: SimulatedDittoFS,
    pulumi_cli: PulumiCommand,
    kubernetes_cluster: KubernetesCluster,
    tmp_path: Path,
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    before = namespace.get(NFS)
    root = tmp_path / "other"
    root.mkdir()
    with world_on(kubernetes_cluster, pulumi_cli, root, kubernetes_cluster.kubeconfig) as other:
        other.configure({"name": "media", "namespace": namespace.name, "adapters": PINNED})

        said = refusal(other.stack.up())

    assert "(made by Pulumi, for another stack or by an interrupted run of this one)" in said
    assert "`dittoinfra up` finds what an interrupted run of this stack made (docs/recovery.md)" in said
    assert namespace.get(NFS) == before
    world.assert_settled()


def test_a_service_made_between_preview_and_update_stops_the_update(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    shown = world.preview()
    before = namespace.create(SERVICES, foreign())

    assert shown.decided is not None

    assert "media-adapter-nfs" in refusal(world.stack.up(given=shown.decided.answers))
    assert namespace.get(NFS) == before


def test_a_service_that_others_deleted_and_made_again_is_theirs(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.delete(NFS)
    before = namespace.create(SERVICES, foreign())
    dittofs.set_adapter("nfs", port=13049)

    said = [refusal(world.stack.preview()), refusal(world.stack.up())]

    assert all("media-adapter-nfs" in line and "did not make it" in line for line in said)
    assert namespace.get(NFS) == before


@pytest.mark.parametrize("manager", ["helm", "pulumi-kubernetes-0a1b2c3d"])
def test_a_removal_leaves_what_others_made_in_the_place_of_a_service(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, manager: str
) -> None:
    dittofs.set_adapter("smb", port=12445)
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.delete(SMB)
    before = namespace.create(SERVICES, foreign("media-adapter-smb"), manager)
    dittofs.set_adapter("smb", enabled=False)

    said = [refusal(world.stack.preview()), refusal(world.stack.up())]

    assert said[0] == said[1]
    assert said[0].startswith(f"Service media-adapter-smb in namespace {namespace.name} (")
    assert namespace.get(SMB) == before

    let_go(world, said[0])
    world.up()
    assert namespace.get(SMB) == before
    world.assert_settled()


def test_the_end_of_a_stack_leaves_it_as_well(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    dittofs.set_adapter("smb", port=12445)
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.delete(SMB)
    before = namespace.create(SERVICES, foreign("media-adapter-smb"))

    said = [refusal(world.stack.preview_destroy()), refusal(world.stack.destroy())]

    assert said[0] == said[1]
    assert said[0].startswith(f"Service media-adapter-smb in namespace {namespace.name} (")
    let_go(world, said[0])
    assert world.stack.destroy().ok
    assert namespace.get(SMB) == before
    assert list(namespace.services()) == ["media-adapter-smb"]


def let_go(world: World, said: str) -> None:
    """Run the command that a refusal ends with."""
    command = said.rpartition("`pulumi ")[2].removesuffix("`")
    CommandLine(world.command, world.root, world.stack.environment).ask(*shlex.split(command), "--yes")
