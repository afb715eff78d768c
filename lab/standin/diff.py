"""Which properties changed between two manifests, and which changes need a new object."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from lab.standin.properties import Properties
from lab.standin.replacing import Path, replaces

_QUOTED = frozenset('."[]')
"""Characters that do not stand in a path as they are."""


class DiffKind(Enum):
    """What happened to one property."""

    ADDED = auto()
    REMOVED = auto()
    CHANGED = auto()


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """One property that differs."""

    path: Path
    kind: DiffKind
    replaces: bool

    @property
    def dotted(self) -> str:
        """The path as the engine writes it: `spec.ports[0].port`, `metadata.labels["a.b/c"]`."""
        return "".join(_segments(self.path)).removeprefix(".")


def changes(old: Properties, new: Properties, fixed: tuple[Path, ...]) -> tuple[PropertyChange, ...]:
    """Every difference, in a stable order; lists are compared by position."""
    return tuple(
        PropertyChange(path, kind, replaces(path, value, fixed)) for path, kind, value in _walk((), old, new)
    )


def _walk(path: Path, old: object, new: object) -> Iterator[tuple[Path, DiffKind, object]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield (*path, key), DiffKind.REMOVED, None
            elif key not in old:
                yield (*path, key), DiffKind.ADDED, new[key]
            else:
                yield from _walk((*path, key), old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                yield (*path, index), DiffKind.REMOVED, None
            elif index >= len(old):
                yield (*path, index), DiffKind.ADDED, new[index]
            else:
                yield from _walk((*path, index), old[index], new[index])
    elif isinstance(old, bool) is not isinstance(new, bool) or old != new:
        # Python thinks True == 1; the Kubernetes API does not.
        yield path, DiffKind.CHANGED, new


def _segments(path: Path) -> Iterator[str]:
    for segment in path:
        if isinstance(segment, int):
            yield f"[{segment}]"
        elif _QUOTED & set(segment):
            quoted = segment.replace('"', '\\"')
            yield f'["{quoted}"]'
        else:
            yield f".{segment}"
