"""The provider's modules, which take half a second to load, loaded while something else is waited for."""

import gc
import threading

import dittoinfra

_lock = threading.Lock()


def load_ahead() -> None:
    """Begin to load them and return at once; whoever needs them then waits for what is left of it."""
    if not _loaded():
        threading.Thread(target=load, name="load-ahead").start()


def load() -> None:
    """Load them, once per process.

    One thread does it while others wait: the provider's own lazy imports break when two touch them at once.
    """
    with _lock:
        if _loaded():
            return
        # The collector would look a hundred times through what is only being made, and afterwards, in every
        # run, through thousands of classes that stay anyway.
        collects = gc.isenabled()
        gc.disable()
        try:
            from dittoinfra import declare  # noqa: F401 - only to be loaded by then
        finally:
            if collects:
                gc.enable()
        gc.freeze()


def _loaded() -> bool:
    # A package knows its part only when that is loaded to its end.
    return hasattr(dittoinfra, "declare")
