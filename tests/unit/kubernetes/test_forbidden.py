"""A user who may not go through the cluster learns what is missing, and gets the Role that would allow it."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from dittoinfra.model import Answered, Denied
from lab.bed.cluster import KubernetesCluster
from tests.unit.kubernetes.asking import PASSWORD, ask, inside, inside_server
from tests.unit.kubernetes.conftest import Inhabited

PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
FORWARD = {"apiGroups": [""], "resources": ["pods/portforward"], "verbs": ["get"]}


@pytest.mark.parametrize(
    ("rules", "missing"),
    [
        ([], "get pods"),
        ([PODS], "get pods/portforward"),
        # A WebSocket is a GET, and newer clusters want the right to create as well.
        ([PODS, FORWARD], "create pods/portforward"),
    ],
)
def test_the_missing_verb_and_resource_are_named(
    rules: list[Mapping[str, object]], missing: str, inhabited: Inhabited
) -> None:
    namespace = inhabited.namespace
    way = inside(inhabited.cluster.kubeconfig_with(namespace, *rules))

    outcome = ask(way, inside_server("media", namespace))["media"]

    assert isinstance(outcome, Denied)
    assert f" may not {missing} in namespace {namespace}; " in outcome.why
    assert "\n" not in outcome.why


def test_a_service_needs_its_slices(inhabited: Inhabited) -> None:
    namespace = inhabited.namespace
    way = inside(inhabited.cluster.kubeconfig_with(namespace))

    outcome = ask(way, inside_server("media", namespace, target="service/front"))["media"]

    assert isinstance(outcome, Denied)
    assert "may not list endpointslices" in outcome.why


def test_the_role_is_printed_once_for_a_namespace_and_allows_everything(inhabited: Inhabited) -> None:
    cluster, namespace = inhabited.cluster, inhabited.namespace
    kubeconfig = cluster.kubeconfig_with(namespace)
    servers = (
        inside_server("media", namespace),
        inside_server("behind", namespace, target="service/media-front"),
        inside_server("other", namespace, {"passwordSecret": {"name": "other-login"}}, target="pod/media-0"),
    )
    way = inside(kubeconfig)
    assert all(isinstance(outcome, Denied) for outcome in ask(way, *servers).values())

    [note] = way.notes()
    first, _, printed = note.text.partition("\n")
    role = yaml.safe_load(printed)

    assert first.startswith(f"this Role allows what is needed in namespace {namespace}; ")
    assert note.server == "behind, media, other"
    prepare_for(cluster, namespace)
    grant(cluster, role, kubeconfig)
    outcomes = ask(inside(kubeconfig), *servers)
    assert all(isinstance(outcome, Answered) for outcome in outcomes.values()), outcomes


def test_nothing_is_printed_where_nothing_was_refused(inhabited: Inhabited) -> None:
    way = inside(inhabited.kubeconfig)

    ask(way, inside_server("media", inhabited.namespace))

    assert way.notes() == ()


def test_unknown_credentials_are_named(inhabited: Inhabited) -> None:
    outcome = ask(
        inside(inhabited.cluster.kubeconfig_of("nobody's")), inside_server("media", inhabited.namespace)
    )["media"]

    assert isinstance(outcome, Denied)
    assert outcome.why == (
        f"the Kubernetes API at {inhabited.cluster.url} does not know the credentials of the kubeconfig; "
        "renew them"
    )


def prepare_for(cluster: KubernetesCluster, namespace: str) -> None:
    cluster.expose_pod(namespace, "media-front", {"app": "media-0"})
    secret = {"metadata": {"name": "other-login"}, "stringData": {"password": PASSWORD}}
    with cluster.client() as client:
        client.post(f"/api/v1/namespaces/{namespace}/secrets", json=secret).raise_for_status()


def grant(cluster: KubernetesCluster, role: Mapping[str, Any], kubeconfig: str) -> None:
    """Apply the Role and bind it to the user of this kubeconfig."""
    namespace, name = role["metadata"]["namespace"], role["metadata"]["name"]
    user = who(cluster, kubeconfig)
    binding = {
        "metadata": {"name": name},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
    }
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    with cluster.client() as client:
        for kind, body in (("roles", role), ("rolebindings", binding)):
            client.post(f"{path}/{kind}", json=body).raise_for_status()
    cluster.wait_until_allowed(user, namespace, role["rules"])


def who(cluster: KubernetesCluster, kubeconfig: str) -> str:
    token = yaml.safe_load(kubeconfig)["users"][0]["user"]["token"]
    with cluster.client() as client:
        review = {"spec": {"token": token}}
        answer = client.post("/apis/authentication.k8s.io/v1/tokenreviews", json=review).raise_for_status()
        return str(answer.json()["status"]["user"]["username"])
