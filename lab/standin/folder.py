"""Stores objects as manifest files in a folder; the same object always gives the same bytes."""

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from lab.standin.errors import RefusedError
from lab.standin.properties import Properties
from lab.standin.store import ManifestFolder
from lab.standin.target import Target
from lab.standin.terms import Terms

CLUSTER_FOLDER = "_cluster"
"""Holds objects without a namespace; no namespace can have this name."""


class FolderStore(ManifestFolder):
    """Writes `<root>/<stack>/<namespace>/<kind>-<name>.yaml`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # Folders go with their last file: none may be removed while another thread is about to fill it.
        self._tree = threading.Lock()

    def path(self, target: Target) -> Path:
        """The manifest's file."""
        # Names keep their case: RBAC names may differ by nothing else.
        stem = f"{target.key.kind.lower()}-{target.key.name}"
        if target.is_patch:
            stem = f"{stem}-{target.fingerprint}-patch"
        return self._root / target.urn.stack / (target.key.namespace or CLUSTER_FOLDER) / f"{stem}.yaml"

    def create(self, target: Target, terms: Terms) -> Properties:
        """Write the manifest; one that is there already, of the same object, is a run that did not finish."""
        return self.update(target, terms)

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """The manifest, once it is known not to clash."""
        return self.preview_update(target, terms)

    def update(self, target: Target, terms: Terms) -> Properties:  # noqa: ARG002  (no owner, and no wait)
        """Write the manifest in one step: a reader sees the old one or the new one."""
        path = self.path(target)
        try:
            with self._tree:
                self._refuse_foreign(path, target.declared)
                path.parent.mkdir(parents=True, exist_ok=True)
                _write(path, target.declared)
        except OSError as error:
            raise RefusedError(f"{target}: manifest {path} cannot be written: {error.strerror}") from None
        return target.declared

    def preview_update(self, target: Target, terms: Terms) -> Properties:  # noqa: ARG002  (no owner here)
        """The manifest, once it is known not to clash."""
        self._refuse_foreign(self.path(target), target.declared)
        return target.declared

    def look(self, target: Target) -> Properties:
        """The manifest as it is in the folder."""
        found = _load(self.path(target))
        if found is None:
            raise RefusedError(f"{self.path(target)} is not there any more")
        return found

    def read(self, target: Target, terms: Terms) -> Properties | None:  # noqa: ARG002  (a file is ready)
        """The manifest as it is in the folder, edits included."""
        return _load(self.path(target))

    def delete(self, target: Target, terms: Terms) -> None:  # noqa: ARG002  (a file is gone at once)
        """Remove the manifest and the folders it leaves empty."""
        path = self.path(target)
        with self._tree:
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()
                path.parent.parent.rmdir()

    def _refuse_foreign(self, path: Path, manifest: Properties) -> None:
        """Kinds of two API groups may share a name, and so would share a file."""
        present = _load(path)
        if present is not None and _group(present) != _group(manifest):
            raise RefusedError(
                f"{path} already holds a {present.get('kind')} of {present.get('apiVersion')}, "
                f"not of {manifest.get('apiVersion')}; rename one of the two objects"
            )


def _group(manifest: Properties) -> str:
    return str(manifest.get("apiVersion", "")).rpartition("/")[0]


def _load(path: Path) -> Properties | None:
    try:
        loaded: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, yaml.YAMLError):
        raise RefusedError(f"{path} cannot be read as a manifest; repair it or remove it") from None
    if not isinstance(loaded, dict):
        raise RefusedError(f"{path} holds no manifest; repair it or remove it")
    return loaded


def _write(path: Path, manifest: Properties) -> None:
    # mkstemp makes the file readable by its owner alone, and a manifest may be a Secret.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".draft")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yaml.safe_dump(manifest, file, allow_unicode=True, default_flow_style=False, width=110)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
