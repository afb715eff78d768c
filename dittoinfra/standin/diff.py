"""Which properties changed between two sets of inputs, and which changes need a new object."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from dittoinfra.standin.properties import Properties

Path = tuple[str | int, ...]

IDENTITY: frozenset[Path] = frozenset(
    {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
)
"""What names an object: another value is another object."""

IMMUTABLE: dict[tuple[str, str], frozenset[Path]] = {
    ("", "Service"): frozenset({("spec", "clusterIP")}),
    ("apps", "StatefulSet"): frozenset(
        {
            ("spec", "podManagementPolicy"),
            ("spec", "selector"),
            ("spec", "serviceName"),
            ("spec", "volumeClaimTemplates"),
        }
    ),
}
"""Fields the API refuses to change, by group and kind, where the official provider replaces the object."""

_PLAIN_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")


class Change(Enum):
    """What happened to one property."""

    ADDED = auto()
    REMOVED = auto()
    CHANGED = auto()


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """One property that differs."""

    path: Path
    change: Change
    replaces: bool

    @property
    def dotted(self) -> str:
        """The path as the engine writes it: `spec.ports[0].port`, `metadata.labels["a.b/c"]`."""
        return "".join(_segments(self.path)).removeprefix(".")


@dataclass(frozen=True, slots=True)
class InputDiff:
    """Everything that differs, in a stable order."""

    changes: tuple[PropertyChange, ...]
    same_object: bool
    """Whether old and new inputs name one object, so that a replacement must delete before it creates."""

    @property
    def replaces(self) -> bool:
        """Whether the object has to be made anew."""
        return any(change.replaces for change in self.changes)


def diff_inputs(old: Properties, new: Properties, *, is_patch: bool) -> InputDiff:
    """Compare what was declared with what is declared; live fields nobody declared never take part."""
    fixed = IDENTITY if is_patch else IDENTITY | IMMUTABLE.get(_group_kind(old), frozenset())
    changes = tuple(
        PropertyChange(path, change, replaces=any(path[: len(prefix)] == prefix for prefix in fixed))
        for path, change in _walk((), old, new)
    )
    return InputDiff(changes, same_object=_names(old) == _names(new))


def _walk(path: Path, old: object, new: object) -> Iterator[tuple[Path, Change]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield (*path, key), Change.REMOVED
            elif key not in old:
                yield (*path, key), Change.ADDED
            else:
                yield from _walk((*path, key), old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                yield (*path, index), Change.REMOVED
            elif index >= len(old):
                yield (*path, index), Change.ADDED
            else:
                yield from _walk((*path, index), old[index], new[index])
    elif type(old) is not type(new) or old != new:
        # Python thinks True == 1; the Kubernetes API does not.
        yield path, Change.CHANGED


def _group_kind(inputs: Properties) -> tuple[str, str]:
    return str(inputs.get("apiVersion", "")).rpartition("/")[0], str(inputs.get("kind", ""))


def _names(inputs: Properties) -> tuple[object, ...]:
    metadata = inputs.get("metadata")
    if not isinstance(metadata, dict):
        return _group_kind(inputs)
    return (*_group_kind(inputs), metadata.get("namespace"), metadata.get("name"))


def _segments(path: Path) -> Iterator[str]:
    for segment in path:
        if isinstance(segment, int):
            yield f"[{segment}]"
        elif _PLAIN_SEGMENT.fullmatch(segment):
            yield f".{segment}"
        else:
            quoted = segment.replace("\\", "\\\\").replace('"', '\\"')
            yield f'["{quoted}"]'
