"""A folder of manifests that is kept in step with what a stack would declare."""

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dittoinfra.setup.manifests import Manifest

MARKER = ".dittoinfra-render.json"
"""Names the stack and every file that was rendered: nothing else is ever removed or overwritten."""


class FolderRefusedError(Exception):
    """The folder cannot be rendered into."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of each file, by its path in the folder."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def write_folder(folder: Path, stack: str, manifests: Sequence[Manifest]) -> Written:
    """Write what is new or changed, and remove what was rendered before and is not declared any more."""
    try:
        known = known_files(folder, stack)
        wanted = {manifest.path: manifest for manifest in manifests}
        _refuse_foreign(folder, wanted.keys() - known)
        # The marker first, with old and new: a run that breaks off leaves no file that nobody knows.
        _mark(folder, stack, known | wanted.keys())
        changed = [path for path, manifest in wanted.items() if _write(folder / path, manifest)]
        gone = sorted(known - wanted.keys())
        for path in gone:
            _remove(folder, path)
        _mark(folder, stack, wanted.keys())
    except OSError as error:
        raise FolderRefusedError(
            f"{error.filename or folder} cannot be written: {error.strerror}; name another folder"
        ) from None
    unchanged = [path for path in wanted if path not in changed]
    return Written(tuple(sorted(changed)), tuple(sorted(unchanged)), tuple(gone))


def known_files(folder: Path, stack: str) -> set[str]:
    """What an earlier rendering has put there."""
    marker = folder / MARKER
    if not marker.exists():
        if folder.exists() and any(folder.iterdir()):
            raise FolderRefusedError(
                f"{folder} is not empty and was not made by `dittoinfra render`; "
                "name an empty or a new folder"
            )
        return set()
    try:
        content = json.loads(marker.read_text(encoding="utf-8"))
        of, files = str(content["stack"]), [str(path) for path in content["files"]]
    except (ValueError, KeyError, TypeError):
        raise FolderRefusedError(
            f"{marker} cannot be read, so nobody knows which files are whose; "
            "remove the folder, or name another"
        ) from None
    if of != stack:
        raise FolderRefusedError(f"{folder} holds the manifests of stack {of}; name another folder")
    if strange := [path for path in files if not _is_inside(path)]:
        raise FolderRefusedError(f"{marker} names {strange[0]}, which is outside the folder; repair it")
    return set(files)


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts and parts.suffix == ".yaml"


def _refuse_foreign(folder: Path, new: set[str]) -> None:
    taken = sorted(path for path in new if (folder / path).exists())
    if taken:
        raise FolderRefusedError(
            f"{folder / taken[0]} exists and was not made by `dittoinfra render`; "
            "move it, or name another folder"
        )


def _mark(folder: Path, stack: str, files: Iterable[str]) -> None:
    content = json.dumps({"stack": stack, "files": sorted(files)}, indent=2) + "\n"
    _put(folder / MARKER, content, secret=False)


def _write(path: Path, manifest: Manifest) -> bool:
    return _put(path, manifest.text, secret=manifest.secret)


def _put(path: Path, text: str, *, secret: bool) -> bool:
    """Write in one step, so that a reader sees the old one or the new one; a file that is right stays."""
    with suppress(FileNotFoundError):
        if path.read_text(encoding="utf-8") == text:
            return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".draft")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # The draft is its owner's alone, which a Secret should stay and a repository's file should not.
        if not secret:
            Path(draft).chmod(0o666 & ~_umask())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return True


def _umask() -> int:
    # There is no way to ask for it but to set it.
    current = os.umask(0o022)
    os.umask(current)
    return current


def _remove(folder: Path, path: str) -> None:
    (folder / path).unlink(missing_ok=True)
    with suppress(OSError):
        (folder / path).parent.rmdir()
