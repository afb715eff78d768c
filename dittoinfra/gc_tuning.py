"""Makes Python's garbage collector run less often, and not at exit, in processes that are ours."""

import atexit
import gc
from typing import Final

NEW_OBJECTS: Final = 20_000


def tune_collector() -> None:
    """Call it before everything that is large is imported, and only in a process that runs nothing else.

    By default the collector runs after every 700 new objects. Imports, polls and declarations make many that
    stay: it would look through them again and again.
    """
    # The process may have been started with more, or with 0: no collector at all.
    if 0 < gc.get_threshold()[0] < NEW_OBJECTS:
        gc.set_threshold(NEW_OBJECTS)
    # At exit the interpreter collects once more, for memory that the process is about to give back anyway.
    # What is frozen is not looked at.
    atexit.register(gc.freeze)
