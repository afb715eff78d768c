"""The manifests of the watch, judged by a real Kubernetes API."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lab.bed.kubernetes import KubernetesApi
from tests.repository.manifests.documents import KUBERNETES, documents, objects

PLURALS = {
    "ClusterRole": ("apis/rbac.authorization.k8s.io/v1", "clusterroles"),
    "ClusterRoleBinding": ("apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"),
    "Deployment": ("apis/apps/v1", "deployments"),
    "Namespace": ("api/v1", "namespaces"),
    "NetworkPolicy": ("apis/networking.k8s.io/v1", "networkpolicies"),
    "Role": ("apis/rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": ("apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    "ServiceAccount": ("api/v1", "serviceaccounts"),
}
OBJECTS = list(objects(KUBERNETES))


@pytest.fixture
def client(kubernetes_api: KubernetesApi) -> Iterator[httpx.Client]:
    """An administrator's, in a cluster that has the namespaces of the manifests."""
    [watch] = documents(KUBERNETES / "watch" / "namespace.yaml")
    files = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "files"}}
    with kubernetes_api.client() as client:
        for namespace in (watch, files):
            assert apply(client, namespace, dry_run=False).is_success
        yield client


def apply(client: httpx.Client, manifest: dict[str, Any], *, dry_run: bool = True) -> httpx.Response:
    """Apply on the server's side, by default without effect, and with every unknown field refused."""
    group, plural = PLURALS[manifest["kind"]]
    namespace = manifest["metadata"].get("namespace")
    place = f"/namespaces/{namespace}" if namespace else ""
    return client.patch(
        f"/{group}{place}/{plural}/{manifest['metadata']['name']}",
        params={"fieldManager": "test", "fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {}),
        headers={"Content-Type": "application/apply-patch+yaml"},
        json=manifest,
    )


@pytest.mark.parametrize(
    ("file", "manifest"), OBJECTS, ids=[f"{file} {manifest['kind']}" for file, manifest in OBJECTS]
)
def test_the_api_takes_every_object_without_a_warning(
    client: httpx.Client, file: str, manifest: dict[str, Any]
) -> None:
    answer = apply(client, manifest)

    assert answer.is_success, answer.text
    assert "warning" not in answer.headers, answer.headers["warning"]


def test_the_pod_passes_the_restricted_standard(client: httpx.Client) -> None:
    [deployment] = documents(KUBERNETES / "watch" / "deployment.yaml")
    pod = {"metadata": {"name": "watch"}, "spec": deployment["spec"]["template"]["spec"]}

    answer = client.post("/api/v1/namespaces/dittoinfra/pods", params={"dryRun": "All"}, json=pod)
    assert answer.is_success, answer.text

    del pod["spec"]["containers"][0]["securityContext"]
    refused = client.post("/api/v1/namespaces/dittoinfra/pods", params={"dryRun": "All"}, json=pod)
    assert refused.status_code == httpx.codes.FORBIDDEN, "the namespace must enforce the standard"


def test_the_kustomization_names_every_file() -> None:
    [kustomization] = documents(KUBERNETES / "watch" / "kustomization.yaml")
    files = {path.name for path in (KUBERNETES / "watch").glob("*.yaml")}

    assert set(kustomization["resources"]) == files - {"kustomization.yaml"}


def test_nothing_in_the_roles_is_about_everything() -> None:
    for file, manifest in objects(KUBERNETES / "roles"):
        for rule in manifest.get("rules", ()):
            assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]], file
            if "secrets" in rule["resources"]:
                assert rule["resourceNames"], file
        assert manifest["kind"].startswith("ClusterRole") is (file == "find-namespaces.yaml")
