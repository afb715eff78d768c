"""A found server needs no address: it is asked where it was found, through the Kubernetes API."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from lab.bed.cluster import KubernetesCluster
from lab.bed.dfs import RealDittoFS
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import OURS, adapters
from tests.engine.world import PASSWORD_ENV, world_on


def test_a_server_of_others_is_found_asked_and_followed(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, dfs_binary: Path, tmp_path: Path
) -> None:
    cluster = kubernetes_cluster
    root = tmp_path / "project"
    root.mkdir()
    with (
        world_on(cluster, pulumi_cli, root, cluster.kubeconfig) as world,
        RealDittoFS(dfs_binary, tmp_path / "dfs") as dfs,
        cluster.client() as client,
    ):
        dfs.create_user("dittoinfra", world.password)
        server_namespace = ServerNamespace(cluster, client)
        server_namespace.add("media")
        cluster.wait_for_pod(server_namespace.name, "media-0")
        cluster.forward(server_namespace.name, "media-0", 8080, dfs.port)

        world.configure(
            namespace=server_namespace.name,
            serversFrom=[{"selector": OURS}],
            api={"passwordEnv": PASSWORD_ENV},
        )
        assert world.run_changes() == Changes(create=4)

        assert adapters(server_namespace) == {"media-adapter-nfs", "media-adapter-smb"}
        world.assert_settled()
