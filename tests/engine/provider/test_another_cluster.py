"""A stack whose settings lead to another cluster loses every address: that needs approval."""

from pathlib import Path

import pytest
import yaml

from dittoinfra.exitcodes import ExitCode
from lab.bed.cluster import KubernetesCluster
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import identities
from tests.engine.world import World, server


@pytest.fixture
def two_clusters(kubernetes_cluster: KubernetesCluster, tmp_path: Path) -> Path:
    """A kubeconfig with a second context, whose cluster is the same under another name."""
    content = yaml.safe_load(kubernetes_cluster.kubeconfig.read_text())
    [context], [cluster] = content["contexts"], content["clusters"]
    server_url = cluster["cluster"]["server"].replace("127.0.0.1", "localhost")
    other = {**cluster["cluster"], "server": server_url, "insecure-skip-tls-verify": True}
    other.pop("certificate-authority", None)
    content["clusters"].append({"name": "other", "cluster": other})
    content["contexts"].append({"name": "other", "context": {**context["context"], "cluster": "other"}})
    path = tmp_path / "two-clusters"
    path.write_text(yaml.safe_dump(content))
    return path


def test_another_context_is_refused_until_every_adapter_is_approved(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, two_clusters: Path
) -> None:
    world.provider_settings = {**world.provider_settings, "kubeconfig": str(two_clusters)}
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    before = identities(namespace)

    world.provider_settings = {**world.provider_settings, "context": "other"}
    world.configure(server(dittofs, namespace=namespace.name))
    for report in (world.stack.preview(), world.stack.up()):
        assert report.exit_code == ExitCode.POLICY
        (line,) = report.lines("error")
        assert "media/nfs (moved), media/smb (moved)" in line
        assert "`dittoinfra:approveRemovals: [media/nfs, media/smb]`" in line
    assert identities(namespace) == before
