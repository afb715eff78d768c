"""What a kubeconfig and its cluster offer for a new stack: contexts, namespaces, and servers in them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dittoinfra import naming
from dittoinfra.decide.server_discovery import objects_by_server
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_client import POLL_TIMEOUT, concurrently
from dittoinfra.kubernetes.objects import create_object, list_objects, namespace_exists
from dittoinfra.kubernetes.server_listing import list_labelled
from dittoinfra.model import ListedObject
from dittoinfra.settings.selectors import LabelSelector

_SYSTEM = ("kube-system", "kube-public", "kube-node-lease")
"""Namespaces of Kubernetes itself: no server belongs there."""

_MOST_SEARCHED = 50
"""Namespaces that are searched one by one; in a larger cluster a person knows the name."""

_SERVERS = LabelSelector.model_validate({"matchLabels": {"app": naming.selector("")["app"]}})


@dataclass(frozen=True, slots=True)
class Contexts:
    """The contexts of a kubeconfig."""

    names: tuple[str, ...] = ()
    current: str | None = None


@dataclass(frozen=True, slots=True)
class FoundInCluster:
    """A DittoFS server in the cluster."""

    name: str
    namespace: str
    target: str | None
    """Where its API is reached by port-forward; None where that is the default, its first Pod."""


def read_contexts(kubeconfig: str | None, environ: Mapping[str, str]) -> Contexts:
    """The contexts of the kubeconfig that is named, or else of the one that kubectl would use.

    None where there is no such file, or none that can be read: then there is nothing to choose from.
    """
    named = kubeconfig or environ.get("KUBECONFIG") or str(Path("~/.kube/config"))
    files = [_read(part) for part in named.split(os.pathsep) if part]
    names = dict.fromkeys(
        str(entry["name"])
        for content in files
        for entry in content.get("contexts") or ()
        if isinstance(entry, dict) and "name" in entry
    )
    current = next((str(c["current-context"]) for c in files if c.get("current-context")), None)
    return Contexts(tuple(names), current if current in names else None)


def _read(path: str) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError, yaml.YAMLError):
        return {}
    return content if isinstance(content, dict) else {}


def open_cluster(kubeconfig: str | None, context: str | None) -> Cluster:
    """The cluster of a context, proven to answer, or `ClusterError`."""
    cluster = Cluster(kubeconfig, context, POLL_TIMEOUT).connected()
    cluster.request("GET", "/version")
    return cluster


def list_namespaces(cluster: Cluster) -> tuple[str, ...]:
    """Namespaces for a person to choose from; none where the cluster does not let us list them."""
    try:
        found = list_objects(cluster, "v1", "Namespace", "")
    except ClusterError:
        return ()
    return tuple(sorted(name for one in found if (name := str(one["metadata"]["name"])) not in _SYSTEM))


def create_namespace(cluster: Cluster, name: str) -> bool:
    """Make a namespace unless it exists, or `ClusterError`; whether it is new."""
    if namespace_exists(cluster, name):
        return False
    create_object(
        cluster, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "namespace": ""}}
    )
    return True


def find_servers(
    cluster: Cluster, namespace: str | None, known: Sequence[str] = ()
) -> tuple[FoundInCluster, ...]:
    """DittoFS servers of a namespace, or of all (`None`), as far as they can be listed, each once.

    Where the login may not list all namespaces at once, the `known` ones are listed one by one.
    """
    objects = _labelled(cluster, [namespace])
    if objects is None and namespace is None:
        objects = _labelled(cluster, known[:_MOST_SEARCHED])
    found: dict[tuple[str, str], FoundInCluster] = {}
    for name, listed in objects_by_server(objects or ()).items():
        for this in listed:
            found.setdefault((this.namespace, name), _found(name, this))
    return tuple(found[place] for place in sorted(found))


def _labelled(cluster: Cluster, namespaces: Sequence[str | None]) -> list[ListedObject] | None:
    """Workloads, then Services, with the label of a server; None where nothing could be listed."""
    asked = [(kind, namespace) for kind in ("StatefulSet", "Service") for namespace in namespaces]
    answers = concurrently(lambda this: list_labelled(cluster, this[0], _SERVERS, this[1]), asked)
    if not any(objects or not gaps for objects, gaps in answers):
        return None
    return [this for objects, _ in answers for this in objects]


def _found(name: str, listed: ListedObject) -> FoundInCluster:
    if listed.kind == "Service":
        target: str | None = f"service/{listed.name}"
    else:
        target = None if listed.name == name else f"pod/{listed.name}-0"
    return FoundInCluster(name, listed.namespace, target)
