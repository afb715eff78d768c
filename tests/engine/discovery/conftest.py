"""A stack on the real engine whose servers are found in a real Kubernetes API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from tests.engine.discovery.between import Between, standing_between
from tests.engine.discovery.place import Place
from tests.engine.world import World, world_on


@pytest.fixture
def place(kubernetes_api: KubernetesApi) -> Iterator[Place]:
    """A namespace of its own."""
    with kubernetes_api.client() as client:
        yield Place(kubernetes_api, client)


@pytest.fixture
def between(kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[Between]:
    """How the program, though not the provider, reaches the API."""
    with standing_between(kubernetes_api, tmp_path / "between.yaml") as standing:
        yield standing


@pytest.fixture
def world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, between: Between, tmp_path: Path
) -> Iterator[World]:
    """A fresh stack whose objects land in the API."""
    root = tmp_path / "project"
    root.mkdir()
    with world_on(kubernetes_api, pulumi_cli, root, between.kubeconfig) as fresh:
        yield fresh
