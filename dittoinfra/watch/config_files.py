"""Whether a user changed a stack's configuration.

A file that vanishes, or that cannot be read, is no change: an editor, a checkout or a remounted volume takes
it away for a moment, and a run without it would find no servers configured.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.projectfile import stack_file


class _UnusableError(Exception):
    """A file that could not configure any run, and why."""


@dataclass(slots=True)
class ConfigFiles:
    """The files that a stack's configuration is read from."""

    project: Path
    stack: Path
    problem: str = field(default="", init=False)
    """Why a file that was read before cannot be read now; empty where all of them can."""
    _stats: tuple[object, object] | None = field(default=None, init=False)
    _contents: dict[Path, str] = field(default_factory=dict, init=False)
    """What each file contained when it was last read; none of one that has never been read."""

    @classmethod
    def of(cls, root: Path, stack: str) -> "ConfigFiles":
        """The files of one stack of a project."""
        return cls(root / "Pulumi.yaml", stack_file(root, stack))

    def fingerprint(self) -> str:
        """A hash that changes once anything that a run would read has another value.

        Files are read again only when the file system says that they were touched.
        """
        stats = _stat(self.project), _stat(self.stack)
        if stats != self._stats or self.problem:
            self._stats = stats
            self._read()
        contents = [self._contents.get(file, "") for file in (self.project, self.stack)]
        return hashlib.sha256("\0".join(contents).encode()).hexdigest()

    def _read(self) -> None:
        self.problem = ""
        # A project has a name, and a stack that is configured at all has more than the engine's salt.
        for file, required in ((self.project, "name"), (self.stack, "config")):
            try:
                self._contents[file] = _content(file, required)
            except _UnusableError as why:
                if file in self._contents:
                    self.problem = f"{file} {why}"


def _stat(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    # A mounted ConfigMap is replaced as a whole: another file of perhaps the same age and size.
    return status.st_ino, status.st_ctime_ns, status.st_size


def _content(file: Path, required: str) -> str:
    try:
        document: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _UnusableError("is gone") from None
    except OSError as error:
        raise _UnusableError(f"cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError):  # bytes that are no text are a ValueError
        raise _UnusableError("is not YAML") from None
    if not isinstance(document, dict) or not document.get(required):
        raise _UnusableError(f"has no {required} any more" if document else "is empty")
    # The engine itself writes its salt into the stack's file with the first run, and quotes every number and
    # boolean on the way: that is no change by a user.
    document.pop("encryptionsalt", None)
    config = document.get("config")
    if isinstance(config, dict):
        document["config"] = {key: _as_the_engine_writes(value) for key, value in config.items()}
    return yaml.safe_dump(document)


def _as_the_engine_writes(value: object) -> object:
    if isinstance(value, dict | list):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)
