"""What a CLI that was killed can leave unreadable where the state is kept in files."""

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ATTRIBUTES = ".attrs"


def mend(url: str, project: str, stack: str) -> None:
    """Take away what is broken beside a stack's state.

    The state itself is written whole or not at all. A file of attributes beside it is not: killed in that
    moment, the CLI leaves an empty one, and nobody can read the state any more. Without one everybody can.
    """
    parts = urlsplit(url)
    if parts.scheme != "file":
        return
    folder = Path(unquote(parts.netloc + parts.path)).expanduser() / ".pulumi" / "stacks" / project
    for path in folder.glob(f"*{_ATTRIBUTES}"):
        if path.name.startswith(f"{stack}.json") and not _is_whole(path):
            with suppress(FileNotFoundError):
                path.unlink()


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True
