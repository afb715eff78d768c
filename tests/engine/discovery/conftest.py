"""Fixtures: a stack that finds its servers in a real Kubernetes API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from tests.engine.discovery.api_proxy import ApiProxy, api_proxy
from tests.engine.world import World, world_on


@pytest.fixture
def proxy(kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[ApiProxy]:
    """The proxy through which the program, but not the provider, reaches the API."""
    with api_proxy(kubernetes_api, tmp_path / "proxy.yaml") as proxy:
        yield proxy


@pytest.fixture
def world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, proxy: ApiProxy, tmp_path: Path
) -> Iterator[World]:
    """A new stack whose objects are created in the API."""
    root = tmp_path / "project"
    root.mkdir()
    with world_on(kubernetes_api, pulumi_cli, root, proxy.kubeconfig) as fresh:
        yield fresh
