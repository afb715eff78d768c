"""A program of somebody else, and the policy pack beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.keys import key_service
from lab.bed.kubernetes import KubernetesApi
from lab.bed.policy_host import policy_host
from lab.gotools import StreamProgress
from lab.standin import ApiStore, FolderStore, StandInProvider
from tests.engine.policy.stranger import Stranger


@pytest.fixture(scope="session")
def path_with_policies(pulumi_cli: PulumiCommand) -> str:
    """A PATH on which the engine finds what runs policy packs."""
    return f"{policy_host(StreamProgress())}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def stranger(pulumi_cli: PulumiCommand, path_with_policies: str, tmp_path: Path) -> Iterator[Stranger]:
    """The stranger's stack; its objects land in a folder."""
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider, key_service() as keys:
        environment = {**provider.environment(), **keys, "PATH": path_with_policies}
        yield Stranger(pulumi_cli, tmp_path, environment)


@pytest.fixture
def stranger_in_a_cluster(
    pulumi_cli: PulumiCommand, path_with_policies: str, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[Stranger]:
    """The same; its objects land in a real Kubernetes API."""
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster)) as provider,
        key_service() as keys,
    ):
        environment = {**provider.environment(), **keys, "PATH": path_with_policies}
        namespace = kubernetes_api.namespace()
        yield Stranger(pulumi_cli, tmp_path, environment, namespace, str(kubernetes_api.kubeconfig))
