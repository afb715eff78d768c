"""A lock between processes, for resources that exist once per machine or test run."""

import fcntl
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from dittoinfra.engine.installer import cache_directory

_holders: Counter[str] = Counter()
"""Per lock, in this process: a test that holds one calls helpers that take it too."""


@contextmanager
def machine_lock(name: str) -> Iterator[None]:
    """Hold the lock for the length of a `with` block."""
    with ExitStack() as held:
        if not _holders[name]:
            cache_directory().mkdir(parents=True, exist_ok=True)
            file = held.enter_context((cache_directory() / f"{name}.lock").open("w"))
            fcntl.flock(file, fcntl.LOCK_EX)
        _holders[name] += 1
        try:
            yield
        finally:
            _holders[name] -= 1
