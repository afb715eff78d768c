"""What a stack would declare, as manifests, and a folder that is kept in step with them.

A marker file in the folder holds its stack, its files, and what the last rendering knew: a user who renders
and never runs `up` has an empty state, and without that memory an outage would pass for a server without
adapters, a failed listing for servers that left the configuration, and their manifests would go. Manifests
alone would not do as a memory: the labels that a server was found with choose its settings, one without
adapters has nothing that could count its absences, and an adapter whose manifest was deleted by hand is not
forgotten.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml
from pydantic import TypeAdapter

from dittoinfra.model import ServersMemory, StackMemory
from dittoinfra.nested_values import mapped
from dittoinfra.object_model import DeclaredObject
from dittoinfra.setup.setup_documents import FileState
from dittoinfra.whole_files import write_over

CLUSTER_FOLDER: Final = "_cluster"
"""Holds objects without a namespace; no namespace can have this name."""

MARKER: Final = ".dittoinfra-render"
"""Without an extension: tools that apply the folder take every `.yaml` and `.json` file for a manifest."""


class FolderRefusedError(Exception):
    """The folder cannot be rendered into."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object as a file: the same bytes for the same object."""

    path: str
    """Relative to the folder, with `/` between its parts."""
    text: str = field(repr=False)
    secret: bool = False
    """Whether it contains a Secret's values in the clear."""


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
    """A file for each object; Secrets only on request, because every reader of the folder can read them."""
    ordered = sorted(objects, key=_path)
    return Rendering(
        tuple(_manifest(this) for this in ordered if with_secrets or this.kind != "Secret"),
        tuple(str(this) for this in ordered if this.kind == "Secret" and not with_secrets),
    )


def _manifest(this: DeclaredObject) -> Manifest:
    # Kind and name first, as people read manifests, and the rest sorted.
    first = ("apiVersion", "kind", "metadata")
    keys = [key for key in (*first, *sorted(this.manifest.keys() - set(first))) if key in this.manifest]
    ordered = {key: mapped(this.manifest[key], _sorted) for key in keys}
    text = yaml.safe_dump(ordered, sort_keys=False, allow_unicode=True, default_flow_style=False, width=110)
    return Manifest(_path(this), text, this.kind == "Secret")


def _path(this: DeclaredObject) -> str:
    namespace = this.manifest["metadata"].get("namespace") or CLUSTER_FOLDER
    group = this.api_version.rpartition("/")[0]
    # Kinds of two API groups may share a name; those of the core group are the short ones.
    kind = f"{this.kind.lower()}.{group}" if group and "." in group else this.kind.lower()
    return f"{namespace}/{kind}-{this.name}.yaml"


def _sorted(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    return {key: value[key] for key in sorted(value)} if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class RenderedMemory:
    """What a rendering knows, for the next one to remember."""

    servers: ServersMemory = field(default_factory=dict)
    adapters: StackMemory = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marker:
    """Only the files that are named here are ever replaced or removed."""

    stack: str
    files: tuple[str, ...]
    rendered: RenderedMemory
    """Required: a marker without it would say that nothing is remembered, and manifests would go."""


_MARKER_JSON: Final = TypeAdapter(Marker)


def read_marker(folder: Path, stack: str) -> Marker | None:
    """What an earlier rendering has left, or `FolderRefusedError`; None for a new or an empty folder."""
    marker = folder / MARKER
    if not marker.exists():
        if folder.exists() and any(folder.iterdir()):
            raise FolderRefusedError(
                f"{folder} is not empty and was not made by `dittoinfra render`; "
                "name an empty or a new folder"
            )
        return None
    try:
        found = _MARKER_JSON.validate_json(marker.read_bytes(), strict=True)
    except (OSError, ValueError):
        raise FolderRefusedError(
            f"{marker} cannot be read, so it is not known which files are whose and what they stand for; "
            "restore it, or name another folder"
        ) from None
    if found.stack != stack:
        raise FolderRefusedError(f"{folder} holds the manifests of stack {found.stack}; name another folder")
    for path in map(PurePosixPath, found.files):
        if path.is_absolute() or ".." in path.parts or path.suffix != ".yaml":
            raise FolderRefusedError(f"{marker} names {path}, which is outside the folder; repair it")
    return found


def write_folder(
    folder: Path, stack: str, manifests: Sequence[Manifest], memory: RenderedMemory
) -> Mapping[str, FileState]:
    """Write what is new or changed, and remove what was rendered before and is not declared any more.

    What became of each file, ordered by path.
    """
    try:
        before = read_marker(folder, stack) or Marker(stack, (), RenderedMemory())
        known = set(before.files)
        wanted = {manifest.path: manifest for manifest in manifests}
        for path in sorted(wanted.keys() - known):
            if (folder / path).exists():
                raise FolderRefusedError(
                    f"{folder / path} exists and was not made by `dittoinfra render`; "
                    "move it, or name another folder"
                )
        # The marker first, with old and new: a run that breaks off leaves no file or server unknown.
        both = RenderedMemory(
            {**before.rendered.servers, **memory.servers}, {**before.rendered.adapters, **memory.adapters}
        )
        _write_marker(folder, Marker(stack, tuple(sorted(known | wanted.keys())), both))
        states: dict[str, FileState] = {}
        for path, manifest in wanted.items():
            written = _write(folder / path, manifest.text, secret=manifest.secret)
            states[path] = "written" if written else "unchanged"
        for path in known - wanted.keys():
            (folder / path).unlink(missing_ok=True)
            with suppress(OSError):
                (folder / path).parent.rmdir()
            states[path] = "removed"
        _write_marker(folder, Marker(stack, tuple(sorted(wanted)), memory))
    except OSError as error:
        raise FolderRefusedError(
            f"{error.filename or folder} cannot be written: {error.strerror}; name another folder"
        ) from None
    return dict(sorted(states.items()))


def _write_marker(folder: Path, marker: Marker) -> None:
    _write(folder / MARKER, _MARKER_JSON.dump_json(marker, indent=2).decode() + "\n", secret=False)


def _write(path: Path, text: str, *, secret: bool) -> bool:
    """Write one file unless it is right; whether it was written.

    A Secret is readable by its owner alone, even where nothing but a checkout has written it since.
    """
    with suppress(FileNotFoundError):
        if secret:
            path.chmod(0o600)
        if path.read_text(encoding="utf-8") == text:
            return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_over(path, text, private=secret)
    return True
