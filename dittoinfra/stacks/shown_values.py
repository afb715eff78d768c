"""What is shown of a resource: its object, what differs, and no secrets. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dittoinfra.nested_values import UNKNOWN, is_secret, mapped
from dittoinfra.visible import one_line


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """A Kubernetes object, as an object reference identifies it."""

    api_version: str
    kind: str
    namespace: str | None
    name: str
    uid: str | None = None
    """None until the cluster has created the object, or where manifests are only written."""


HIDDEN = "[secret]"
"""What the engine itself prints for a secret."""


def mask_secrets(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """A value with every envelope around a secret replaced by one word."""
    return mapped(value, lambda each: HIDDEN if is_secret(each) else each)


def drop_secrets(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """A value without its secret entries: a placeholder must not be taken for the real value."""
    return mapped(value, _without_secrets)


def _without_secrets(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: each for key, each in value.items() if not is_secret(each)}
    return [each for each in value if not is_secret(each)] if isinstance(value, list | tuple) else value


KNOWN_LATER = "(known after the run)"
_LONGEST = 160
_CONTEXT = 30
"""Characters that are shown before the first difference of two long values."""

_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.\[\]]+)')


@dataclass(frozen=True, slots=True)
class Difference:
    """One changed property of an object; a secret's values are hidden."""

    path: str
    """Where in the object, as the provider names it: `spec.ports[0].port`."""
    before: str | None
    """Null where there was none."""
    after: str | None
    """Null where there is none any more."""


def differences_at(
    paths: Iterable[str],
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    *,
    hidden: bool = False,
) -> tuple[Difference, ...]:
    """The properties at these paths, before and after; with `hidden` none of their values is shown."""
    ordered = sorted(paths, key=_natural)
    before, after = (mask_secrets(properties) if ordered else None for properties in (before, after))

    def value(properties: Mapping[str, Any] | None, path: str) -> str | None:
        found = _at(properties, path)
        return HIDDEN if hidden and found is not None else _line(found)

    return tuple(Difference(path, *_shortened(value(before, path), value(after, path))) for path in ordered)


def _shortened(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Both values, short; long ones begin shortly before the place where they differ."""
    if before is not None and after is not None and max(len(before), len(after)) > _LONGEST:
        pairs = enumerate(zip(before, after, strict=False))
        same = next((index for index, (old, new) in pairs if old != new), min(len(before), len(after)))
        if same > _CONTEXT:
            before, after = (f"…{value[same - _CONTEXT :]}" for value in (before, after))
    return short(before), short(after)


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


def short(value: object) -> str | None:
    """A value in one line that people can read; None where there is none."""
    line = _line(value)
    return None if line is None else one_line(line, _LONGEST)


def _line(value: object) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    return one_line(text.replace(UNKNOWN, KNOWN_LATER))
