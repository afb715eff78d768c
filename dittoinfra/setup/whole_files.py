"""Files that are written whole or not at all: a run that goes on later must not take half of one for all."""

from contextlib import suppress
from pathlib import Path
from typing import Literal


def write_new(path: Path, text: str) -> None:
    """Write a new file, and never over one that is there (`FileExistsError`)."""
    _write(path, text, "x", path)


def write_over(path: Path, text: str) -> None:
    """Write a file, new or not; where that fails, the former one stays."""
    draft = path.with_name(f".{path.name}.draft")
    _write(draft, text, "w", path)
    draft.replace(path)


def _write(path: Path, text: str, mode: Literal["x", "w"], meant: Path) -> None:
    file = path.open(mode, encoding="utf-8")
    try:
        with file:
            file.write(text)
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            error.filename = str(meant)  # a failed write, as on a full disk, does not name its file
        raise
