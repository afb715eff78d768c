"""What the engine's events say of a resource: its object, what differs, and no secrets."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.automation import StepEventMetadata
from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.nested_values import is_secret, mapped
from dittoinfra.urns import is_former_component, resource_name
from dittoinfra.visible import one_line, visible

_PROVIDERS = "pulumi:providers:"
_PROVIDER = "kubernetes:"
_PATCH = "Patch"


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """A Kubernetes object, as an object reference identifies it."""

    api_version: str
    kind: str
    namespace: str | None
    name: str
    uid: str | None = None
    """None until the cluster has created the object, or where manifests are only written."""


def object_of(metadata: StepEventMetadata) -> ObjectReference | None:
    """The object of a step; None where the resource is no Kubernetes object."""
    state = metadata.new or metadata.old
    if state is None or not metadata.type.startswith(_PROVIDER):
        return None
    # Only the cluster's response has a uid, and after a deletion only the old state has one.
    states = [each for each in (metadata.new, metadata.old) if each is not None]
    about = [metadata_of(each) for state in states for each in (state.outputs, state.inputs)]
    inputs = state.inputs or {}
    return ObjectReference(
        api_version=_text(inputs.get("apiVersion")) or metadata.type.split(":")[1],
        kind=_text(inputs.get("kind")) or metadata.type.rpartition(":")[2].removesuffix(_PATCH),
        namespace=_first(about, "namespace"),
        name=_first(about, "name") or resource_name(metadata.urn),
        uid=_first(about, "uid"),
    )


def metadata_of(properties: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """An object's metadata; empty where there is none, or where the engine hides it as a secret."""
    found = (properties or {}).get("metadata")
    return found if isinstance(found, Mapping) else {}


def is_declared(metadata: StepEventMetadata) -> bool:
    """Whether a step is about a resource that the program has declared.

    Providers change with the SDK's version, and components of earlier versions are removed when their objects
    have moved.
    """
    return not (metadata.type.startswith(_PROVIDERS) or is_former_component(metadata.urn))


def _first(about: list[Mapping[str, Any]], key: str) -> str | None:
    return next((text for each in about if (text := _text(each.get(key)))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


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


def differences(metadata: StepEventMetadata) -> tuple[Difference, ...]:
    """Every property that the provider finds changed, its values short and without any secret."""
    paths = sorted(metadata.detailed_diff or (), key=_natural)
    before, after = (
        mask_secrets(state.inputs) if paths and state else None for state in (metadata.old, metadata.new)
    )
    # The values of a Secret are never shown, whether they were marked as secret or not.
    hidden = metadata.type.endswith((":Secret", ":SecretPatch"))

    def value(properties: Mapping[str, Any] | None, path: str) -> str | None:
        found = _at(properties, path)
        return HIDDEN if hidden and found is not None else _line(found)

    return tuple(Difference(path, *_shortened(value(before, path), value(after, path))) for path in paths)


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


_COLOUR = re.compile(r"<\{%.*?%\}>")


def plain(message: str) -> str:
    """A message without the engine's colour tags, and without control characters for a terminal.

    It may quote a cluster, and so contain text of any user who may write there.
    """
    return visible(_COLOUR.sub("", message)).strip()


_NOISE = re.compile(
    r"using pulumi-\S+ from \$PATH at "
    r"|\w+ plugin \S+ is expected to have version "
    r"|\[\w+ plugin \S+\] "
    r"|(Downloading|Installing) plugin "
    r"|Error downloading plugin: "
    r"|[Uu]nable to download plugin "
)


def is_about_plugins(severity: str, text: str) -> bool:
    """Whether a message only says where a plugin comes from; an error that a run fails with is none."""
    return severity != "error" and _NOISE.match(text) is not None
