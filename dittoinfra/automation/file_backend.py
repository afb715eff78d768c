"""State that is kept in files: what can be seen, and what has to be mended, without the CLI."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_ATTRIBUTES = ".attrs"
_MARKS = b'"pending_operations"'


def backend_url(project: Mapping[str, Any], environment: Mapping[str, str]) -> str | None:
    """The backend that the CLI would use; None where only it can tell."""
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


def has_no_marks(url: str, root: Path, project: str, stack: str) -> bool:
    """Whether a stack's state certainly holds nothing that an interrupted run has left unfinished.

    To know that otherwise takes a start of the CLI, before every operation.
    """
    folder = _folder(url, root, project)
    try:
        return folder is not None and _MARKS not in (folder / f"{stack}.json").read_bytes()
    except OSError:
        return False


def mend(url: str, root: Path, project: str, stack: str) -> None:
    """Take away what is broken beside a stack's state.

    The state itself is written whole or not at all. A file of attributes beside it is not: killed in that
    moment, the CLI leaves an empty one, and nobody can read the state any more. Without one everybody can.
    """
    folder = _folder(url, root, project)
    if folder is None:
        return
    for path in folder.glob(f"*{_ATTRIBUTES}"):
        if path.name.startswith(f"{stack}.json") and not _is_whole(path):
            with suppress(FileNotFoundError):
                path.unlink()


def _folder(url: str, root: Path, project: str) -> Path | None:
    parts = urlsplit(url)
    if parts.scheme != "file":
        return None
    # The CLI runs in the project's folder, and so a relative one begins there.
    return root / Path(unquote(parts.netloc + parts.path)).expanduser() / ".pulumi" / "stacks" / project


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True
