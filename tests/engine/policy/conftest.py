"""Fixtures: a Pulumi program without dittoinfra, and the policy pack."""

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
from tests.engine.policy.foreign_program import ForeignProgram


@pytest.fixture(scope="session")
def path_with_policies(pulumi_cli: PulumiCommand) -> str:
    """A PATH with the program that runs policy packs."""
    return f"{policy_host(StreamProgress())}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def foreign_program(
    pulumi_cli: PulumiCommand, path_with_policies: str, tmp_path: Path
) -> Iterator[ForeignProgram]:
    """The program's stack; its objects are written to a folder."""
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider, key_service() as keys:
        environment = {**provider.environment(), **keys, "PATH": path_with_policies}
        yield ForeignProgram(pulumi_cli, tmp_path, environment)


@pytest.fixture
def foreign_program_in_cluster(
    pulumi_cli: PulumiCommand, path_with_policies: str, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[ForeignProgram]:
    """The same with a real Kubernetes API."""
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster)) as provider,
        key_service() as keys,
    ):
        environment = {**provider.environment(), **keys, "PATH": path_with_policies}
        namespace = kubernetes_api.namespace()
        yield ForeignProgram(pulumi_cli, tmp_path, environment, namespace, str(kubernetes_api.kubeconfig))
