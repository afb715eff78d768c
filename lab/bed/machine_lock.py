"""What a machine, or the Kubernetes of a run, has once, and one test at a time."""

import fcntl
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from dittoinfra.engine.installer import cache_directory

_holders: Counter[str] = Counter()
"""Per lock, in this process: a test that holds one calls helpers that take it too."""


@contextmanager
def machine_lock(name: str) -> Iterator[None]:
    """Wait until no other process holds it, and keep the others away."""
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
