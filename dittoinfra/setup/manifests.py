"""What a stack would declare, as the files of a folder. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from dittoinfra.model import DeclaredObject

CLUSTER_FOLDER = "_cluster"
"""Holds objects without a namespace; no namespace can have this name."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object as a file: the same bytes for the same object."""

    path: str
    """Relative to the folder, with `/` between its parts."""
    text: str = field(repr=False)
    secret: bool = False
    """Whether its values are in the clear in it."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """Everything there is to write, and what is left out."""

    manifests: tuple[Manifest, ...]
    left_out: tuple[str, ...]

    @property
    def stream(self) -> str:
        """All of them as one YAML stream."""
        return "".join(f"---\n{manifest.text}" for manifest in self.manifests)


def render(objects: Iterable[DeclaredObject], *, with_secrets: bool) -> Rendering:
    """A file for each object; Secrets only when asked for, because whoever has the folder can read them."""
    ordered = sorted(objects, key=_path)
    return Rendering(
        tuple(_manifest(this) for this in ordered if with_secrets or this.kind != "Secret"),
        tuple(str(this) for this in ordered if this.kind == "Secret" and not with_secrets),
    )


def _manifest(this: DeclaredObject) -> Manifest:
    text = yaml.safe_dump(
        _in_order(this.manifest), sort_keys=False, allow_unicode=True, default_flow_style=False, width=110
    )
    return Manifest(_path(this), text, this.kind == "Secret")


def _path(this: DeclaredObject) -> str:
    namespace = this.manifest["metadata"].get("namespace") or CLUSTER_FOLDER
    group = this.api_version.rpartition("/")[0]
    # Kinds of two API groups may share a name; those of the core group are the short ones.
    kind = f"{this.kind.lower()}.{group}" if group and "." in group else this.kind.lower()
    return f"{namespace}/{kind}-{this.name}.yaml"


def _in_order(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Kind and name first, as people read manifests, and the rest by the alphabet."""
    first = ("apiVersion", "kind", "metadata")
    rest = sorted(manifest.keys() - set(first))
    return {key: _sorted(manifest[key]) for key in (*first, *rest) if key in manifest}


def _sorted(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    match value:
        case dict():
            return {key: _sorted(value[key]) for key in sorted(value)}
        case list():
            return [_sorted(entry) for entry in value]
        case _:
            return value
