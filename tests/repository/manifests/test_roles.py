"""The Roles: a stack lives its whole life with them, and with a verb less it does not.

To list and to watch, which the official provider does, is nothing that the stand-in would miss.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.reports.status.queries import stack_status
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.namespace import Namespace
from tests.engine.runs.test_real_parts import foreign_statefulset
from tests.engine.world import World, server
from tests.engine.world import world as new_world
from tests.repository.manifests.cluster import Powers


@contextmanager
def empowered(
    command: PulumiCommand, api: KubernetesApi, client: httpx.Client, root: Path, roles: Sequence[str]
) -> Iterator[tuple[World, Powers]]:
    """A stack whose provider is allowed what these Roles allow."""
    powers = Powers(client, api.namespace(), roles)
    kubeconfig = powers.kubeconfig(api, root / "kubeconfig")
    with (
        connect(str(kubeconfig), None) as cluster,
        new_world(command, root, store=ApiStore(cluster), kubeconfig=kubeconfig) as world,
    ):
        yield world, powers


def refusal(world: World) -> str:
    """What an update that must fail says."""
    report = world.stack.up()
    assert not report.ok
    return "\n".join(report.lines("error"))


def _nfs_ready(world: World) -> str:
    (media,) = stack_status(world.stack).servers
    (reason,) = (a.ready.reason for a in media.adapters if a.type == "nfs" and a.ready is not None)
    return reason


def test_adapter_services_need_exactly_the_role_for_them(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client, tmp_path: Path
) -> None:
    with (
        empowered(pulumi_cli, kubernetes_api, kubernetes_client, tmp_path, ["adapters"]) as (world, powers),
        SimulatedDittoFS(admin_password=world.password) as dittofs,
    ):
        namespace = Namespace(powers.namespace, kubernetes_client)
        world.configure(server(dittofs) | {"namespace": powers.namespace})
        with powers.without("adapters", "services", "get"):
            said = refusal(world)
            assert "exists already could not be seen" in said
            assert 'cannot get resource "services"' in said
        for verb in ("create", "patch"):
            with powers.without("adapters", "services", verb):
                assert f'cannot {verb} resource "services"' in refusal(world)

        world.up()
        dittofs.set_adapter("nfs", port=12050)
        world.up()
        assert namespace.get("api/v1:services/media-adapter-nfs")["spec"]["ports"][0]["port"] == 12050

        address = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}
        namespace.merge("api/v1:services/media-adapter-nfs/status", address)
        assert _nfs_ready(world) == "NoReadyEndpoint"
        with powers.without("adapters", "endpointslices", "list"):
            assert _nfs_ready(world) == "EndpointsUnknown"

        dittofs.disable("smb")
        with powers.without("adapters", "services", "delete"):
            assert 'cannot delete resource "services"' in refusal(world)
        world.up()
        assert world.stack.refresh().ok
        assert world.stack.destroy().ok
        assert namespace.get("api/v1:services")["items"] == []


def test_whole_servers_need_exactly_the_roles_for_them(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client, tmp_path: Path
) -> None:
    roles = ["adapters", "network-policies", "servers"]
    with empowered(pulumi_cli, kubernetes_api, kubernetes_client, tmp_path, roles) as (world, powers):
        world.configure(
            {
                "name": "media",
                "namespace": powers.namespace,
                "adapters": {"pinned": [{"type": "nfs", "port": 12049}]},
                "networkPolicy": {"mode": "enabled"},
                "deploy": {"podDisruptionBudget": True},
            }
        )
        for secret in ("jwt", "adminPassword"):
            key = f"dittoinfra:serverSecrets.media.{secret}"
            world.stack.set_config(key, credential("of-the-server"), secret=True, path=True)
        for role, resource in (
            ("network-policies", "networkpolicies"),
            ("servers", "statefulsets"),
            ("servers", "configmaps"),
            ("servers", "poddisruptionbudgets"),
            ("servers", "secrets"),
        ):
            with powers.without(role, resource, "create"):
                assert f'cannot create resource "{resource}"' in refusal(world)
            assert world.stack.destroy().ok

        world.up()
        assert world.stack.refresh().ok
        assert world.stack.destroy().ok
        for path in ("api/v1:secrets", "api/v1:services", "apis/apps/v1:statefulsets"):
            assert Namespace(powers.namespace, kubernetes_client).get(path)["items"] == []


def test_the_servers_role_reads_no_other_secret(
    kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client, tmp_path: Path
) -> None:
    powers = Powers(
        kubernetes_client, kubernetes_api.namespace(), ["adapters", "network-policies", "servers"]
    )
    kubeconfig = powers.kubeconfig(kubernetes_api, tmp_path / "kubeconfig")

    with connect(str(kubeconfig), None) as cluster:
        for path in ("secrets/somebody-elses", "secrets"):
            answer = cluster.request("GET", f"/api/v1/namespaces/{powers.namespace}/{path}")
            assert answer.status_code == httpx.codes.FORBIDDEN, path


def test_ports_of_one_statefulset_need_exactly_the_role_for_them(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client, tmp_path: Path
) -> None:
    with empowered(
        pulumi_cli, kubernetes_api, kubernetes_client, tmp_path, ["adapters", "patch-ports"]
    ) as made:
        world, powers = made
        namespace = Namespace(powers.namespace, kubernetes_client)
        namespace.create("apis/apps/v1:statefulsets", foreign_statefulset())
        pinned = {"pinned": [{"type": "nfs", "port": 12049}]}
        world.configure(
            {"name": "media", "namespace": powers.namespace, "patchPorts": True, "adapters": pinned}
        )
        with powers.without("patch-ports", "statefulsets", "patch"):
            assert 'cannot patch resource "statefulsets"' in refusal(world)

        world.up()
        template = namespace.get("apis/apps/v1:statefulsets/media")["spec"]["template"]["spec"]
        assert [port["name"] for port in template["containers"][0]["ports"]] == ["api", "adapter-nfs"]
        (media,) = stack_status(world.stack).servers
        assert media.version is not None
        assert media.version.source.endswith("of its StatefulSet, without a Pod to look at")
        assert world.stack.destroy().ok
