"""State that is kept in files: what can be read, and what has to be repaired, without the CLI.

All code that is specific to one backend is here. On any other backend there are no `StackFiles`, and the CLI
is asked; nor is there anything to repair, because only a file can be half written.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dittoinfra.stacks.cli_errors import is_gone

_ATTRIBUTES = ".attrs"
_COMPRESSED = (".gz", ".zst")
_CHECKPOINT_VERSION = 3
_PENDING = b'"pending_operations"'


def backend_url(project: Mapping[str, Any], environment: Mapping[str, str]) -> str | None:
    """The backend that the CLI would use; None where only the CLI can tell."""
    if chosen := environment.get("PULUMI_BACKEND_URL"):
        return chosen
    written = project.get("backend")
    if isinstance(written, dict) and written.get("url"):
        return str(written["url"])
    home = environment.get("PULUMI_CREDENTIALS_PATH") or environment.get("PULUMI_HOME") or "~/.pulumi"
    try:
        logged_in = json.loads((Path(home).expanduser() / "credentials.json").read_text())
        return str(logged_in["current"]) or None
    except (OSError, ValueError, LookupError, TypeError, RuntimeError):
        return None


@dataclass(frozen=True, slots=True)
class StackFiles:
    """Where a backend keeps the files of one stack."""

    root: Path
    """The backend's folder."""
    project: str
    stack: str

    @property
    def folder(self) -> Path:
        """The states of the project's stacks."""
        return self.root / "stacks" / self.project

    @property
    def state(self) -> Path:
        """The stack's state, unless it is compressed."""
        return self.folder / f"{self.stack}.json"

    @property
    def locks(self) -> Path:
        """Who holds the stack now."""
        return self.root / "locks" / "organization" / self.project / self.stack

    @property
    def history(self) -> Path:
        """What was done to the stack."""
        return self.root / "history" / self.project / self.stack


def stack_files(
    project: Mapping[str, Any], root: Path, environment: Mapping[str, str], stack: str
) -> StackFiles | None:
    """Where the CLI would keep a stack's files; None where it keeps none, or only the CLI can tell."""
    url = backend_url(project, environment)
    return files_at(url, root, str(project.get("name") or ""), stack) if url is not None else None


def files_at(url: str, root: Path, project: str, stack: str) -> StackFiles | None:
    """The files of a stack in the backend at a URL; None where that backend keeps none."""
    parts = urlsplit(url)
    # A name with a slash is that of an organization's, and no file's.
    if parts.scheme != "file" or "/" in stack:
        return None
    # The CLI runs in the project's folder, so a relative path starts there.
    folder = root / Path(unquote(parts.netloc + parts.path)).expanduser() / ".pulumi"
    return StackFiles(folder, project, stack)


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that holds a stack's lock."""

    host: str
    pid: object
    user: str
    since: str

    def __str__(self) -> str:
        return f"{self.user}@{self.host} (pid {self.pid}) since {self.since}"

    @property
    def ended(self) -> bool:
        """Whether that process is known to have ended."""
        return isinstance(self.pid, int) and is_gone(self.host, self.pid)


def lock_holder(files: StackFiles) -> LockHolder | None:
    """Who holds a stack's lock, seen without trying to take it."""
    for file in sorted(files.locks.glob("*.json")):
        lock = _read(file)
        # One that was released meanwhile, or is not completely written yet, cannot be read.
        if isinstance(lock, dict):
            return LockHolder(
                str(lock.get("hostname", "some machine")),
                lock.get("pid", "unknown"),
                str(lock.get("username", "an unknown user")),
                str(lock.get("timestamp", "an unknown time")),
            )
    return None


def has_no_pending_operations(files: StackFiles) -> bool:
    """Whether a stack's state certainly holds nothing that an interrupted run has left unfinished.

    Any other way to know that takes a start of the CLI, before every operation.
    """
    try:
        return _PENDING not in files.state.read_bytes()
    except OSError:
        return False


def stored_deployment(files: StackFiles) -> dict[str, Any] | None:
    """A stack's state as `pulumi stack export` prints it; None where the CLI has to read it."""
    if any(files.state.with_name(f"{files.state.name}{end}").exists() for end in _COMPRESSED):
        return None
    attributes = files.state.with_name(f"{files.state.name}{_ATTRIBUTES}")
    if attributes.exists() and not _is_whole(attributes):
        return None  # for the CLI to complain of
    document = _read(files.state)
    if not isinstance(document, dict) or document.get("version") != _CHECKPOINT_VERSION:
        return None
    held = document.get("checkpoint")
    return dict(held.get("latest") or {}) if isinstance(held, dict) else None


def stored_history(files: StackFiles, entries: int) -> list[dict[str, Any]] | None:
    """The latest operations, newest first, as `pulumi stack history` prints them, without configurations.

    None where the CLI has to read them.
    """
    if not files.state.is_file():
        return None
    # Their names end with the time.
    newest = sorted(files.history.glob(f"{files.stack}-*.history.json*"), reverse=True)
    kept = [path for path in newest if not path.name.endswith(_ATTRIBUTES)][:entries]
    documents = [_read(path) for path in kept]
    if not all(isinstance(each, dict) and isinstance(each.get("startTime"), int) for each in documents):
        return None
    return [_printed(each) for each in documents if isinstance(each, dict)]


def _printed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An operation as the CLI prints it: times as text, and an end only where there was one."""
    shown = ("version", "kind", "message", "environment", "result")
    printed = {key: entry.get(key) for key in shown} | {"startTime": _time(entry["startTime"])}
    if entry.get("result") != "in-progress":
        printed |= {
            "endTime": _time(entry.get("endTime") or 0),
            "resourceChanges": entry.get("resourceChanges") or {},
        }
    return printed


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _read(path: Path) -> object:
    try:
        document: object = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return document


def repair(files: StackFiles) -> None:
    """Remove broken files beside a stack's state.

    The state itself is written atomically. A file of attributes beside it is not: if the CLI is killed while
    writing it, it leaves an empty file, and the state cannot be read any more. Without the file it can.
    """
    for path in files.folder.glob(f"*{_ATTRIBUTES}"):
        if path.name.startswith(f"{files.stack}.json") and not _is_whole(path):
            with suppress(FileNotFoundError):
                path.unlink()


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True
