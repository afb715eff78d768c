"""What these tests share: servers inside the cluster, and a round of polls as a run makes it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from dittoinfra.dittofs import Polling
from dittoinfra.kubernetes import Cluster
from dittoinfra.model import Outcome
from dittoinfra.program.cluster_tunnels import ClusterTunnels, resolve_all
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.settings.configuration import Configuration
from lab.bed.credentials import credential

USERNAME = "dittoinfra"
PASSWORD = credential("password")


def inside_server(
    name: str, namespace: str, api: Mapping[str, object] | None = None, **forward: object
) -> ServerSettings:
    """A server that is reached by port-forward only."""
    block: dict[str, Any] = {"username": USERNAME, "portForward": forward, **(api or {})}
    return ServerSettings.model_validate({"name": name, "namespace": namespace, "api": block})


def inside(kubeconfig: str) -> ClusterTunnels:
    return ClusterTunnels(Cluster(kubeconfig))


def ask(way: ClusterTunnels, *servers: ServerSettings, password: str | None = PASSWORD) -> dict[str, Outcome]:
    """The outcome of each server's first poll."""
    with polling(way, *servers, password=password) as polls:
        return polls.first()


def polling(way: ClusterTunnels, *servers: ServerSettings, password: str | None = PASSWORD) -> Polling:
    passwords = {"*": SecretStr(password)} if password is not None else {}
    settings = StackSettings.model_construct(servers=[*servers], passwords=passwords)
    configuration = Configuration("files", "test", Path("nowhere"), {}, frozenset())
    return Polling(resolve_all(servers, configuration, settings, {}, way), 64)
