"""What a step changes in a resource, value by value."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.automation import StepEventMetadata
from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.automation.secrets import HIDDEN, without_secrets

KNOWN_LATER = "(known after the run)"
_LONGEST = 160
_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.\[\]]+)')


@dataclass(frozen=True, slots=True)
class Difference:
    """One property that is not left as it was; None where there is none before or after."""

    path: str
    before: str | None
    after: str | None


def differences(metadata: StepEventMetadata) -> tuple[Difference, ...]:
    """Every property that the provider finds changed, its values short and without any secret."""
    paths = sorted(metadata.detailed_diff or (), key=_natural)
    before, after = (
        without_secrets(state.inputs) if paths and state else None for state in (metadata.old, metadata.new)
    )
    # A Secret's values are nobody's, whether they were marked as secret or not.
    hidden = metadata.type.endswith((":Secret", ":SecretPatch"))

    def value(properties: Mapping[str, Any] | None, path: str) -> str | None:
        found = _at(properties, path)
        return HIDDEN if hidden and found is not None else _short(found)

    return tuple(Difference(path, value(before, path), value(after, path)) for path in paths)


def _at(properties: object, path: str) -> object:
    found = properties
    for part in _parts(path):
        match found, part:
            case Mapping(), str():
                found = found.get(part)
            case list(), int() if part < len(found):
                found = found[part]
            case str(), _ if found == HIDDEN:
                return HIDDEN
            case _:
                return None
    return found


def _parts(path: str) -> Iterator[str | int]:
    for quoted, index, plain in _PART.findall(path):
        if index:
            yield int(index)
        else:
            yield plain or re.sub(r"\\(.)", r"\1", quoted)


def _natural(path: str) -> list[tuple[int, int, str]]:
    """A sort key that puts `ports[10]` after `ports[9]`."""
    return [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in _parts(path)]


def _short(value: object) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    text = text.replace(UNKNOWN, KNOWN_LATER)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
