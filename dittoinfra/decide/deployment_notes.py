"""Settings that work, and cost data or clients later: said in every run. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from dittoinfra.decide.exposure import exposes_portmapper
from dittoinfra.decide.pod import CLAIM_PATHS
from dittoinfra.model import DeclaredAdapter, Note, ServerDecision
from dittoinfra.settings import Deploy, ServerSettings, service_settings
from dittoinfra.settings.deploy import CLAIM_NAMES

_LASTING_VOLUMES = frozenset(
    {
        "persistentVolumeClaim",
        *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc", "flexVolume"),
        *("gcePersistentDisk", "glusterfs", "iscsi", "nfs", "photonPersistentDisk", "portworxVolume"),
        *("quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"),
    }
)
"""Volumes that a Pod finds again on every node. `hostPath` is on one node; `ephemeral`, inline `csi` and
`emptyDir` are deleted with the Pod."""


def deployment_notes(
    servers: Sequence[ServerSettings], decisions: Mapping[str, ServerDecision]
) -> tuple[Note, ...]:
    """Warnings about servers that keep writes on no volume, or that mislead their clients."""
    return tuple(
        note
        for server in servers
        for note in (*_without_claim(server), *_misled_by_portmapper(server, decisions[server.name].adapters))
    )


def _without_claim(server: ServerSettings) -> Iterator[Note]:
    if server.deploy is not None and not _keeps_content(server.deploy):
        yield Note(
            server.name,
            f"writes are kept at {CLAIM_PATHS['content']} until they are uploaded, and without a claim there "
            "they are lost with the Pod, object store or not: set deploy.storage.content; where the server "
            "runs already, after `dfsctl system drain-uploads`, and with deploy.storage.replace",
            warning=True,
        )


def _keeps_content(deploy: Deploy) -> bool:
    """Whether the local block store is on a claim, or on a volume of the user that outlives the Pod."""
    folder = PurePosixPath(CLAIM_PATHS["content"])
    own = {volume["name"] for volume in deploy.volumes if not _LASTING_VOLUMES.isdisjoint(volume)}
    mounted = {folder: "content"} if deploy.storage.content is not None else {}
    mounted |= {PurePosixPath(mount["mountPath"]): mount["name"] for mount in deploy.volume_mounts}
    # The nearest mount above a path is what holds it.
    nearest = next((mounted[path] for path in (folder, *folder.parents) if path in mounted), None)
    return nearest in {*own, *CLAIM_NAMES}


def _misled_by_portmapper(server: ServerSettings, adapters: Sequence[DeclaredAdapter]) -> Iterator[Note]:
    for adapter in adapters:
        settings = service_settings(server, adapter.type)
        port = settings.service_port
        if port not in (None, adapter.port) and exposes_portmapper(adapter, settings):
            yield Note(
                server.name,
                f"{adapter.type} has the Service port {port}, and its portmapper tells NFSv3 clients to use "
                f"{adapter.port}, where the Service does not listen: drop servicePort or extras.portmapper, "
                f"or mount with port={port},mountport={port} or NFSv4",
                warning=True,
            )
