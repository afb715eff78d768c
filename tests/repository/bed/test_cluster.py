"""The cluster of the test bed works: Pods run, and claims are bound."""

from lab.bed.cluster import KubernetesCluster


def test_a_stateful_set_runs(kubernetes_cluster: KubernetesCluster) -> None:
    namespace = kubernetes_cluster.namespace()
    labels = {"app": "files"}
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    body = {
        "metadata": {"name": "media"},
        "spec": {
            "serviceName": "media",
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "dittofs", "image": "dittofs"}]},
            },
            "volumeClaimTemplates": [claim],
        },
    }

    with kubernetes_cluster.client() as client:
        client.post(f"/apis/apps/v1/namespaces/{namespace}/statefulsets", json=body).raise_for_status()
        kubernetes_cluster.wait_for_pod(namespace, "media-0")
        made = client.get(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/data-media-0").json()

    assert made["status"]["phase"] == "Bound"
