"""The cluster that a stack's provider writes to, as its configuration names it."""

from collections.abc import Callable, Mapping

from dittoinfra.automation.secrets import HIDDEN
from dittoinfra.cluster import Cluster, connect


def cluster_of(
    config: Mapping[str, str], environ: Mapping[str, str], secret: Callable[[str], str]
) -> Cluster | None:
    """Connect in the provider's order; None where it only writes manifests. Raises `ClusterError`.

    The engine hides secret configuration from its events: `secret` fetches such a value, and only then.
    """
    if config.get("kubernetes:renderYamlToDirectory"):
        return None
    kubeconfig = config.get("kubernetes:kubeconfig")
    if kubeconfig == HIDDEN:
        kubeconfig = secret("kubernetes:kubeconfig")
    return connect(kubeconfig or environ.get("KUBECONFIG"), config.get("kubernetes:context"))
