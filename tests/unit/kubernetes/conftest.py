"""A real DittoFS server behind the port of a Pod."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from lab.bed.cluster import KubernetesCluster
from lab.bed.dfs import RealDittoFS, Tls
from tests.unit.kubernetes.asking import PASSWORD, USERNAME


@dataclass(frozen=True)
class Inhabited:
    """A namespace with Pods `media-0` and `secure-0`, whose port 8080 leads to real servers."""

    cluster: KubernetesCluster
    namespace: str
    media: RealDittoFS
    secure: RealDittoFS
    ca_file: Path

    @property
    def kubeconfig(self) -> str:
        """That of a user who may do everything."""
        return self.cluster.kubeconfig.read_text()


@pytest.fixture(scope="session")
def inhabited(
    kubernetes_cluster: KubernetesCluster, dfs_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Inhabited]:
    folder = tmp_path_factory.mktemp("inhabited")
    namespace = kubernetes_cluster.namespace()
    authority = trustme.CA()
    # Named as in the cluster, and as the test bed itself asks it.
    certificate = authority.issue_cert(f"secure-api.{namespace}.svc", "127.0.0.1")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "tls.crt"))
    certificate.private_key_pem.write_to_path(str(folder / "tls.key"))
    tls = Tls(folder / "tls.crt", folder / "tls.key", folder / "ca.pem")
    with (
        RealDittoFS(dfs_binary, folder / "media") as media,
        RealDittoFS(dfs_binary, folder / "secure", tls=tls) as secure,
    ):
        for name, dfs in (("media-0", media), ("secure-0", secure)):
            dfs.create_user(USERNAME, PASSWORD)
            kubernetes_cluster.run_pod(namespace, name, {"app": name})
            kubernetes_cluster.forward(namespace, name, 8080, dfs.port)
        yield Inhabited(kubernetes_cluster, namespace, media, secure, folder / "ca.pem")
