"""What the settings of a server's Pod come to, in Kubernetes' own words. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dittoinfra.decide.server_config import EnvVar, Mount
from dittoinfra.model import VolumeClaim
from dittoinfra.settings import Deploy
from dittoinfra.settings.deploy.blocks import KubernetesBlock
from dittoinfra.settings.layers import merge

PRE_STOP_SECONDS = 5
"""Time for endpoints to forget the Pod before the server stops to accept connections."""

_SHUTDOWN_STAGES = 3
"""The server stops in stages, one after the other, and the shutdown timeout is that of each."""

_SPARE_SECONDS = 10
"""What the stages leave to the process itself."""

_CLAIM_PATHS = {
    "metadata": "/data/store/metadata",
    "content": "/data/store/block",
    "controlplane": "/data/controlplane",
}

_SCRATCH = "tmp"
"""The server keeps nothing there, but its block garbage collection writes there while it runs."""

_SECRET_FILE_MODE = 0o440
"""Read by the Pod's group, which the server is in; by nobody else."""

_POD_SECURITY: KubernetesBlock = {"fsGroup": 65532}

_CONTAINER_SECURITY: KubernetesBlock = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def grace_seconds(deploy: Deploy) -> int:
    """Time for the Pod to stop: 105 s with the default shutdown timeout of 30 s, as the operator has it."""
    if deploy.grace_period is not None:
        return math.ceil(deploy.grace_period.total_seconds())
    stages = _SHUTDOWN_STAGES * deploy.config.shutdown_timeout.total_seconds()
    return PRE_STOP_SECONDS + math.ceil(stages) + _SPARE_SECONDS


def startup_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server has come up; it may take two and a half minutes."""
    return _probe(deploy, "/health", period=5, failures=30)


def liveness_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server is to be restarted."""
    return _probe(deploy, "/health", delay=15, period=10, failures=3)


def readiness_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server is to get connections."""
    return _probe(deploy, "/health/ready", delay=10, period=5, failures=3)


def _probe(deploy: Deploy, path: str, *, period: int, failures: int, delay: int = 0) -> KubernetesBlock:
    return {
        **_question(deploy, path),
        "initialDelaySeconds": delay,
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "successThreshold": 1,
        "failureThreshold": failures,
    }


def _question(deploy: Deploy, path: str) -> KubernetesBlock:
    tls = deploy.api.tls
    if tls is not None and tls.client_ca is not None:
        # Kubernetes has no client certificate to show: an open port is all it can see.
        return {"tcpSocket": {"port": deploy.api.port}}
    return {"httpGet": {"path": path, "port": deploy.api.port, "scheme": "HTTPS" if tls else "HTTP"}}


def pod_security_context(deploy: Deploy) -> KubernetesBlock:
    """The Pod's security context."""
    return _without_nulls(merge(_POD_SECURITY, deploy.pod_security_context))


def container_security_context(deploy: Deploy) -> KubernetesBlock:
    """The container's security context."""
    read_only = {"readOnlyRootFilesystem": True} if deploy.read_only_root_filesystem else {}
    return _without_nulls(merge(_CONTAINER_SECURITY | read_only, deploy.container_security_context))


def container_environment(deploy: Deploy, own: Iterable[EnvVar]) -> list[KubernetesBlock]:
    """Environment variables of a container: its own, and the configured ones over them."""
    return _overlaid(map(_variable, own), deploy.env, "name")


def volume_mounts(
    deploy: Deploy, own: Iterable[Mount], claims: Iterable[VolumeClaim] = ()
) -> list[KubernetesBlock]:
    """Where a container finds its claims and volumes."""
    return _overlaid(
        (
            *({"name": claim.name, "mountPath": _CLAIM_PATHS[claim.name]} for claim in claims),
            *({"name": mount.name, "mountPath": mount.path, "readOnly": True} for mount in own),
            *({"name": _SCRATCH, "mountPath": path} for path in _scratch_paths(deploy)),
        ),
        deploy.volume_mounts,
        "mountPath",
    )


def pod_volumes(deploy: Deploy, own: Iterable[Mount]) -> list[KubernetesBlock]:
    """Volumes of the Pod; claims are the StatefulSet's."""
    scratch = [{"name": _SCRATCH, "emptyDir": {}}] if _scratch_paths(deploy) else []
    return _overlaid((*map(_volume, own), *scratch), deploy.volumes, "name")


def _scratch_paths(deploy: Deploy) -> Sequence[str]:
    return ["/tmp"] if deploy.read_only_root_filesystem else []  # noqa: S108  (the container's own)


def _variable(variable: EnvVar) -> KubernetesBlock:
    if variable.secret is None:
        return {"name": variable.name, "value": variable.value or ""}
    reference: KubernetesBlock = {"name": variable.secret.name, "key": variable.secret.key}
    if variable.secret.optional:
        reference["optional"] = True
    return {"name": variable.name, "valueFrom": {"secretKeyRef": reference}}


def _volume(mount: Mount) -> KubernetesBlock:
    items = [{"key": item.key, "path": item.path} for item in mount.items]
    if mount.secret is not None:
        secret = {"secretName": mount.secret, "items": items, "defaultMode": _SECRET_FILE_MODE}
        return {"name": mount.name, "secret": secret}
    return {"name": mount.name, "configMap": {"name": mount.config_map, "items": items}}


def _overlaid(
    own: Iterable[KubernetesBlock], configured: Iterable[KubernetesBlock], key: str
) -> list[KubernetesBlock]:
    """Both lists as one, told apart by a key; the configured entry takes the place of one that is ours."""
    entries = {entry[key]: entry for entry in own}
    entries |= {entry[key]: entry for entry in configured}
    return list(entries.values())


def _without_nulls(block: Mapping[str, Any]) -> KubernetesBlock:
    return {
        key: _without_nulls(value) if isinstance(value, Mapping) else value
        for key, value in block.items()
        if value is not None
    }
