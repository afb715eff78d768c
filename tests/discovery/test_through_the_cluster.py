"""A found server needs no address: it is asked where it was found, through the Kubernetes API."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.automation import Changes
from dittoinfra.cluster import connect
from dittoinfra.standin import ApiStore
from tests.bed.cluster import KubernetesCluster
from tests.bed.dfs import RealDittoFS
from tests.discovery.place import Place
from tests.discovery.stack import OURS, adapters
from tests.e2e.world import PASSWORD_ENV
from tests.e2e.world import world as new_world


def test_a_server_of_others_is_found_asked_and_followed(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, dfs_binary: Path, tmp_path: Path
) -> None:
    cluster, kubeconfig = kubernetes_cluster, kubernetes_cluster.kubeconfig
    root = tmp_path / "project"
    root.mkdir()
    with (
        connect(str(kubeconfig), None) as connected,
        new_world(pulumi_cli, root, store=ApiStore(connected), kubeconfig=kubeconfig) as world,
        RealDittoFS(dfs_binary, tmp_path / "dfs") as dfs,
        cluster.client() as client,
    ):
        dfs.create_user("dittoinfra", world.password)
        place = Place(cluster, client)
        place.add("media")
        cluster.wait_for_pod(place.name, "media-0")
        cluster.forward(place.name, "media-0", 8080, dfs.port)

        world.configure(
            namespace=place.name, serversFrom=[{"selector": OURS}], api={"passwordEnv": PASSWORD_ENV}
        )
        assert world.run_changes() == Changes(creates=6)

        assert adapters(place) == {"media-adapter-nfs", "media-adapter-smb"}
        world.assert_settled()
