"""Which fields cannot change in place, so that a change of them makes a new object."""

from lab.standin.properties import Properties
from lab.standin.secrecy import SECRET_KIND
from lab.standin.terms import Settings

Path = tuple[str | int, ...]

IDENTITY: tuple[Path, ...] = (("metadata", "name"), ("metadata", "namespace"))

_STATEFUL_SET = (
    "podManagementPolicy",
    "revisionHistoryLimit",
    "selector",
    "serviceName",
    "volumeClaimTemplates",
)
_CLAIM = ("accessModes", "selector", "storageClassName", "volumeName")
_JOB = ("completions", "parallelism", "selector", "template")

FIXED: dict[tuple[str, str], tuple[Path, ...]] = {
    ("v1", "PersistentVolumeClaim"): tuple(("spec", field) for field in _CLAIM),
    ("v1", "ResourceQuota"): (("spec", "scopes"),),
    ("v1", SECRET_KIND): (("type",),),
    ("v1", "Service"): (("spec", "clusterIP"),),
    ("apps/v1", "DaemonSet"): (("spec", "selector"),),
    ("apps/v1", "Deployment"): (("spec", "selector"),),
    ("apps/v1", "StatefulSet"): tuple(("spec", field) for field in _STATEFUL_SET),
    ("batch/v1", "Job"): tuple(("spec", field) for field in _JOB),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): (("roleRef",),),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): (("roleRef",),),
    ("storage.k8s.io/v1", "StorageClass"): (("parameters",), ("provisioner",)),
}
"""By apiVersion and kind, what the official provider replaces an object for: less than the API refuses."""

_SECRET_DATA: tuple[Path, ...] = (("type",), ("stringData",), ("data",))
_CONFIG_MAP_DATA: tuple[Path, ...] = (("binaryData",), ("data",))


def fixed_fields(manifest: Properties, settings: Settings, *, is_patch: bool) -> tuple[Path, ...]:
    """The fields of this object whose change is a replacement; of a patch, only what names the object."""
    if is_patch:
        return IDENTITY
    version_kind = str(manifest.get("apiVersion", "")), str(manifest.get("kind", ""))
    immutable = manifest.get("immutable") is True
    if version_kind == ("v1", SECRET_KIND) and (immutable or not settings.enable_secret_mutable):
        return IDENTITY + _SECRET_DATA
    if version_kind == ("v1", "ConfigMap") and (immutable or not settings.enable_config_map_mutable):
        return IDENTITY + _CONFIG_MAP_DATA
    return IDENTITY + FIXED.get(version_kind, ())


def replaces(path: Path, new: object, fixed: tuple[Path, ...]) -> bool:
    """Whether a change at this path is, or holds, a change of a fixed field."""
    return any(_touches(path, new, field) for field in fixed)


def _touches(path: Path, new: object, field: Path) -> bool:
    if path[: len(field)] == field:
        return True
    if field[: len(path)] != path:
        return False
    for step in field[len(path) :]:
        if not isinstance(new, dict) or step not in new:
            return False
        new = new[step]
    return True
