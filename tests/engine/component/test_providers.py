"""Kubernetes providers that the caller passes: used, checked, and looked through before anything is made."""

from collections.abc import Iterator
from pathlib import Path

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra import PROVIDER_SETTINGS, ExistingServer
from dittoinfra.kubernetes import connect
from lab.bed.keys import key_service
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore, StandInProvider
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs
from tests.engine.namespace import Namespace


@pytest.fixture
def on_cluster(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[Stranger]:
    """Their stack, on a real Kubernetes API that only an explicit provider leads to."""
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster)) as provider,
        key_service() as keys,
    ):
        yield Stranger.made(pulumi_cli, tmp_path, {**provider.environment(), **keys}, {})


def test_the_caller_s_provider_leads_to_the_cluster_and_must_suit(
    on_cluster: Stranger,
    kubernetes_api: KubernetesApi,
    namespace: Namespace,
    new_server: NewServer,
    password: str,
) -> None:
    media = new_server()
    suited, namespace_exists = False, True
    new_namespace = f"{namespace.name}-new"

    def program() -> None:
        kubeconfig = pulumi.Output.secret(kubernetes_api.kubeconfig.read_text())
        provider = (
            kubernetes.Provider("cluster", kubeconfig=kubeconfig, **PROVIDER_SETTINGS)
            if suited
            else kubernetes.Provider("cluster", kubeconfig=kubeconfig)
        )
        opts = pulumi.ResourceOptions(provider=provider)
        place: pulumi.Input[str] = namespace.name
        if not namespace_exists:
            named = kubernetes.meta.v1.ObjectMetaArgs(name=new_namespace)
            made = kubernetes.core.v1.Namespace("place", metadata=named, opts=opts)
            place = made.metadata.apply(lambda metadata: str(metadata.name))
        exported("media", ExistingServer("media", inputs(media, password, namespace=place), opts))

    on_cluster.program = program
    unsuited = on_cluster.preview()
    [line, _] = unsuited.lines("error")
    assert line.startswith(
        "ExistingServer media: provider: the Kubernetes provider cluster must have upsertExistingObjects, "
    )

    # Such a provider takes over whatever exists: the component looks first, through that very provider.
    suited = True
    service = {"metadata": {"name": "media-adapter-nfs"}, "spec": {"ports": [{"port": 1}]}}
    namespace.create("api/v1:services", service)
    foreign = on_cluster.preview()
    assert not foreign.ok
    lines = foreign.lines("error")
    assert any("media-adapter-nfs" in line and "exists already" in line for line in lines), lines
    namespace.delete("api/v1:services/media-adapter-nfs")
    on_cluster.done()
    assert set(namespace.services()) == {"media-adapter-nfs", "media-adapter-smb"}

    # Another namespace means other Services with other addresses, which needs approval; that the namespace
    # is one that the program itself is about to make is no reason to refuse it.
    namespace_exists = False
    moved = on_cluster.preview()
    [line, _] = moved.lines("error")
    assert "brake: this run would remove 2 of 2 adapters" in line
    assert on_cluster.destroy().ok
    first = on_cluster.preview()
    assert first.ok, first.lines("error")
    # Not destroyed: a namespace stays for ever where no controller empties it.
    on_cluster.done()
