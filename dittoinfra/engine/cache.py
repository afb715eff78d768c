"""Where fetched and built tools are kept, and how they get there whole or not at all."""

import fcntl
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dittoinfra.engine.errors import CacheUnusableError

DIRECTORY_VARIABLE = "DITTOINFRA_CACHE"


def cache_directory() -> Path:
    """The cache of this person: outside every checkout, so that all of them share it."""
    if chosen := os.environ.get(DIRECTORY_VARIABLE):
        return Path(chosen)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "dittoinfra"
    return Path.home() / ".cache" / "dittoinfra"


def platform_tag() -> str:
    """The platform a binary is for: a home directory may be mounted on machines of several kinds."""
    return f"{sys.platform}-{platform.machine().lower()}"


def is_executable(path: Path) -> bool:
    """Whether a file is there and may be started."""
    return path.is_file() and os.access(path, os.X_OK)


def publish(
    entry: Path,
    *,
    usable: Callable[[Path], bool],
    make: Callable[[Path], None],
    on_wait: Callable[[], None],
) -> Path:
    """Return the entry, made once by `make` in a directory beside it and renamed into place when whole.

    A second process waits (`on_wait` tells it so) and takes what the first one made.
    """
    if usable(entry):
        return entry
    with _alone(entry, on_wait):
        if usable(entry):
            return entry
        # With the lock held nobody else is at work on this entry: what lies here was left by a killed run.
        for leftover in entry.parent.glob(f".{entry.name}.*.draft"):
            shutil.rmtree(leftover, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", suffix=".draft", dir=entry.parent))
        try:
            make(draft)
            # An entry that is there but not usable was damaged by hand, and a rename needs its place free.
            if entry.exists():
                shutil.rmtree(entry)
            draft.rename(entry)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return entry


@contextmanager
def _alone(entry: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the entry's lock; the system gives it back even when this process is killed."""
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        lock = (entry.parent / f".{entry.name}.lock").open("a")
    except OSError as error:
        raise CacheUnusableError(
            f"cannot write the cache {entry.parent}: {error.strerror}; "
            f"set {DIRECTORY_VARIABLE} to a directory that can be written"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
