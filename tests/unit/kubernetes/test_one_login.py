"""A run asks the cluster for several things, and logs in once."""

import json
from pathlib import Path

import pytest

from dittoinfra.dittofs import LOOKING
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.model import Unreachable
from dittoinfra.program.observe import RunContext, observe
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory

SERVERS = [
    {"name": "media", "api": {"passwordEnv": "P", "deadline": "1s"}, "deploy": {"createNamespace": True}}
]
SECRETS = {"media": {"jwt": "x" * 32, "adminPassword": "x" * 12}}
CREDENTIAL = {
    "apiVersion": "client.authentication.k8s.io/v1",
    "kind": "ExecCredential",
    "status": {"token": "t"},
}


def test_a_credential_plugin_is_started_once_for_a_whole_run(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(f"#!/bin/sh\necho started >> {tmp_path}/log\necho '{json.dumps(CREDENTIAL)}'\n")
    plugin.chmod(0o755)
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [
            {"name": "u", "user": {"exec": {"apiVersion": CREDENTIAL["apiVersion"], "command": str(plugin)}}}
        ],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    configuration = Configuration(
        project="dittoinfra",
        stack="prod",
        root=tmp_path,
        values={
            "kubernetes:kubeconfig": json.dumps(kubeconfig),
            "kubernetes:upsertExistingObjects": "true",
            "kubernetes:enablePatchForce": "true",
            "kubernetes:enableConfigMapMutable": "true",
            "kubernetes:enableSecretMutable": "true",
            "dittoinfra:servers": json.dumps(SERVERS),
            "dittoinfra:serverSecrets": json.dumps(SECRETS),
            "dittoinfra:serversFrom": json.dumps([{"selector": {}}]),
        },
        encrypted=frozenset({"dittoinfra:serverSecrets"}),
    )

    context = RunContext({"P": "p"}, backoff=LOOKING)
    cluster = ProviderCluster.of(configuration, context.environ)

    seen = observe(configuration, configuration.settings(), Memory(), context, cluster)

    [listing] = seen.answers.listings
    assert "no answer from the Kubernetes API" in listing.gaps[0].cause
    assert isinstance(seen.answers.polls["media"], tuple)
    assert isinstance(seen.answers.polls["media"][0], Unreachable)
    assert seen.objects == {}
    assert all("no answer from the Kubernetes API" in why for why in seen.unseen.values())
    assert "media-headless" in {place.name for place in seen.unseen}
    assert (tmp_path / "log").read_text() == "started\n"


def test_a_login_that_failed_is_tried_again_where_that_is_wanted(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    cluster = Cluster(str(kubeconfig))
    with pytest.raises(ClusterError):
        cluster.credentials().result()
    written = {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    kubeconfig.write_text(json.dumps(written))
    with pytest.raises(ClusterError):
        cluster.credentials().result()

    cluster.retry_credentials()

    assert cluster.credentials().result().server == "http://127.0.0.1:1"
