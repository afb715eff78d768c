"""The real server on a read-only root, as in a container with a read-only root file system."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from dittoinfra.decide.config_file import config_yaml
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod import mounts, pod_volumes, volume_mounts
from dittoinfra.settings import Deploy, ServerSettings

USER_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec")
"""No privileges needed: inside it, the mounts are ours."""


def jailed(
    binary: Path, directory: Path, server: ServerSettings, deploy: Deploy, *, without: str = ""
) -> Sequence[str]:
    """The command that starts the server in it, with exactly the volumes of the Pod, but one left out."""
    root = directory / "root"
    (root / "app").mkdir(parents=True, exist_ok=True)
    (root / "tmp").mkdir(exist_ok=True)
    shutil.copy(binary, root / "app" / "dfs")
    claims = planned_fields(server, deploy).claims
    files = {
        volume["name"] for volume in pod_volumes(deploy, mounts(server, deploy)) if "emptyDir" not in volume
    }
    writable = []
    for mount in volume_mounts(deploy, mounts(server, deploy), claims):
        place = root / mount["mountPath"].removeprefix("/")
        place.mkdir(parents=True, exist_ok=True)
        if mount["name"] not in files and mount["mountPath"] != without:
            volume = directory / "volumes" / mount["name"]
            volume.mkdir(parents=True, exist_ok=True)
            writable.append(f"mount --bind {shlex.quote(str(volume))} {shlex.quote(str(place))}")
    (root / "config" / "config.yaml").write_text(config_yaml(server, deploy))
    there = shlex.quote(str(root))
    steps = [
        f"mount --bind {there} {there}",
        f"mount -o remount,bind,ro {there}",
        *writable,
        f"exec chroot {there} /app/dfs start --foreground --config /config/config.yaml",
    ]
    return [*USER_NAMESPACE, "\n".join(steps)]
