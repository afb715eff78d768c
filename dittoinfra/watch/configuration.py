"""Whether somebody changed a stack's configuration."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.automation.project import read_project

_Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(slots=True)
class Configuration:
    """The files that a stack's configuration is read from."""

    files: tuple[Path, ...]
    _stamp: _Stamp | None = field(default=None, init=False)
    _print: str = field(default="", init=False)

    @classmethod
    def of(cls, root: Path, stack: str) -> "Configuration":
        """Of one stack of a project."""
        folder = root / str(read_project(root).get("stackConfigDir") or ".")
        return cls((root / "Pulumi.yaml", folder / f"Pulumi.{stack}.yaml"))

    def fingerprint(self) -> str:
        """Another text once anything that a run would read has another value.

        Files are read again only when the file system says that they were touched.
        """
        stamp = tuple(map(_touched, self.files))
        if stamp != self._stamp:
            self._stamp = stamp
            self._print = hashlib.sha256("\0".join(map(_meaning, self.files)).encode()).hexdigest()
        return self._print


def _touched(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    # A mounted ConfigMap is replaced as a whole: another file of perhaps the same age and size.
    return status.st_ino, status.st_mtime_ns, status.st_size


def _meaning(file: Path) -> str:
    try:
        text = file.read_text()
    except OSError:
        return ""
    try:
        document: Any = yaml.safe_load(text)
        # The engine itself writes its salt into the stack's file with the first run: nobody's change.
        if isinstance(document, dict):
            document.pop("encryptionsalt", None)
        return json.dumps(document, sort_keys=True, default=str)
    except (yaml.YAMLError, TypeError):
        return text
