"""Digests of Secrets that a server reads: of what may be read, and of nothing that cannot be."""

import base64
from collections.abc import Mapping

import pytest
from pydantic import SecretStr

from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.program.secret_contents import read_digests
from dittoinfra.settings import ServerSecrets, ServerSettings
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import credential
from tests.engine.deploy.config import HELD, JWT, LDAP
from tests.engine.world import CREDENTIALS

JWT_KEY = ("media-jwt-secret", "jwt-secret")
PASSWORD_KEY = ("ldap", "password")
PASSWORD = credential("bind")


@pytest.fixture
def namespace(kubernetes_cluster: KubernetesCluster) -> str:
    name = kubernetes_cluster.namespace()
    keytab = base64.b64encode(b"\x05\x02\xff").decode()
    for secret, data in {**HELD, "ldap": {"password": PASSWORD}}.items():
        body = {"metadata": {"name": secret}, "stringData": data, "data": {"keytab": keytab}}
        with kubernetes_cluster.client() as client:
            client.post(f"/api/v1/namespaces/{name}/secrets", json=body).raise_for_status()
    return name


def media(namespace: str, credentials: Mapping[str, object] = CREDENTIALS) -> ServerSettings:
    deploy = {"credentials": credentials, "config": {"ldap": LDAP}}
    return ServerSettings.model_validate({"name": "media", "namespace": namespace, "deploy": deploy})


def test_what_may_be_read_has_a_digest_and_nothing_else(
    kubernetes_cluster: KubernetesCluster, namespace: str
) -> None:
    cluster = ProviderCluster(kubernetes_cluster.kubeconfig.read_text())
    unknown = {"jwt": {"secret": "not-there", "key": "key"}}

    digests, notes = read_digests(cluster, [media(namespace), ServerSettings(name="other")], {})
    again, _ = read_digests(cluster, [media(namespace)], {})
    own, _ = read_digests(cluster, [media(namespace, {})], {"media": ServerSecrets(jwt=SecretStr(JWT))})
    without_key, _ = read_digests(cluster, [media(namespace, unknown)], {})

    assert digests.keys() == {"media"}
    assert digests["media"].keys() == {JWT_KEY, PASSWORD_KEY}
    assert notes == ()
    assert again == digests
    assert own["media"] == {PASSWORD_KEY: digests["media"][PASSWORD_KEY]}, "the same key, from the settings"
    assert without_key == {"media": {}}
    assert PASSWORD not in str(digests)


def test_a_secret_that_may_not_be_read_is_said(kubernetes_cluster: KubernetesCluster, namespace: str) -> None:
    rule = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": [JWT_KEY[0]]}
    cluster = ProviderCluster(kubernetes_cluster.kubeconfig_with(namespace, rule))

    digests, notes = read_digests(cluster, [media(namespace)], {})

    assert digests["media"].keys() == {JWT_KEY}
    [note] = notes
    assert note.text.startswith("Secret ldap may not be read (")
    assert note.text.endswith("): a change of it restarts no Pod")
    assert "\n" not in note.text


def test_a_cluster_that_does_not_answer_has_no_digests(namespace: str) -> None:
    assert read_digests(None, [media(namespace)], {}) == ({}, ())
    nowhere = (
        '{"apiVersion":"v1","kind":"Config","current-context":"x",'
        '"clusters":[{"name":"x","cluster":{"server":"http://127.0.0.1:1"}}],'
        '"contexts":[{"name":"x","context":{"cluster":"x","user":""}}]}'
    )
    assert read_digests(ProviderCluster(nowhere), [media(namespace)], {}) == ({}, ())
