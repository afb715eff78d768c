"""The difference between the state of a resource and its declaration, and whether it needs a replacement."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.standin.checkpoint import Checkpoint
from lab.standin.diff import PropertyChange, changes
from lab.standin.paths import contains, parse_path
from lab.standin.properties import Properties, plain
from lab.standin.replacing import fixed_fields
from lab.standin.resource import Resource
from lab.standin.shape import live_inputs
from lab.standin.target import is_patch

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, in a stable order."""

    changes: tuple[PropertyChange, ...]
    same_object: bool
    """Whether old and new name one object, so that a replacement must delete before it creates."""

    @property
    def replaces(self) -> bool:
        """Whether the object must be replaced."""
        return any(change.replaces for change in self.changes)


def difference(
    resource: Resource, state: Properties, declared: Properties, ignored: Sequence[str]
) -> Difference:
    """Compare the object as it was last seen, as far as it was declared, with what is declared now."""
    known, new = Checkpoint.parse(state), resource.normal(plain(declared))
    namespaced = resource.is_namespaced(new)
    old = live_inputs(known.live, resource.normal(known.inputs))
    old_name = (known.live.get("metadata") or {}).get("name")
    old = _placed({"apiVersion": new.get("apiVersion"), "kind": new.get("kind")} | old, namespaced=namespaced)
    if old_name is not None:
        old["metadata"]["name"] = old_name
    new = _placed(new, namespaced=namespaced)
    fixed = fixed_fields(new, resource.session.settings, is_patch=is_patch(resource.urn, new))
    paths = [path for path in map(parse_path, ignored) if path is not None]
    found = tuple(c for c in changes(old, new, fixed) if not any(contains(p, c.path) for p in paths))
    return Difference(found, same_object=_identity(old) == _identity(new))


def _placed(manifest: Properties, *, namespaced: bool) -> Properties:
    """The manifest with its namespace spelled out, or without one that it cannot have."""
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        return manifest | ({} if metadata else {"metadata": {}})
    namespace = {"namespace": metadata.get("namespace") or DEFAULT_NAMESPACE} if namespaced else {}
    rest = {key: value for key, value in metadata.items() if key != "namespace"}
    return manifest | {"metadata": rest | namespace}


def _identity(manifest: Properties) -> tuple[object, object]:
    metadata = manifest.get("metadata")
    return (metadata.get("name"), metadata.get("namespace")) if isinstance(metadata, dict) else (None, None)
