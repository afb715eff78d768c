"""Files that are written whole or not at all: no reader and no later run must take half of one for all."""

import os
from contextlib import suppress
from pathlib import Path


def write_new(path: Path, text: str) -> None:
    """Write a new file, and never over one that is there (`FileExistsError`)."""
    _write(path, text, path, 0o666)


def write_over(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file, new or not; where that fails, the former one stays.

    A private one is created with mode 0600.
    """
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}.draft")
    _write(draft, text, path, 0o600 if private else 0o666)


def _write(draft: Path, text: str, path: Path, mode: int) -> None:
    try:
        # Created with its mode: at no moment can others read a private file.
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
    except OSError as error:
        error.filename = str(path)  # a failed write, as on a full disk, does not name its file
        raise
