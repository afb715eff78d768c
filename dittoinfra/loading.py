"""Modules that take long to load, loaded while something else is waited for."""

import gc
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any, Final

PROGRAM: Final = "dittoinfra.program.early"
"""What a run asks and decides with: the settings, the client, the program itself."""

DECLARATIONS: Final = "dittoinfra.declare"
"""What it declares with: the provider's modules, the slowest of all, and not needed before servers answer."""

DEPLOYMENTS: Final = "dittoinfra.declare.deployment"
"""What it declares workloads with."""

_ALLOCATIONS: Final = 20_000
"""Objects made before the collector looks for cycles: Python's 700 are made by one poll of a few servers."""

_lock = threading.Lock()
_loaded: set[str] = set()


def load_ahead() -> None:
    """Begin to load all that a run needs, and return at once; whoever needs it waits for the rest."""
    if DECLARATIONS not in _loaded:
        threading.Thread(target=_load_all, name="load-ahead").start()


def load(module: str) -> ModuleType:
    """A module, loaded once per process.

    One thread does it while others wait: the provider's own lazy imports break when two touch them at once.
    """
    with _lock:
        if module in _loaded:
            return sys.modules[module]
        _leave_httpx_alone()
        # The collector would look a hundred times through what is only being made.
        collects = gc.isenabled()
        gc.disable()
        try:
            loaded = import_module(module)
        finally:
            if collects:
                gc.enable()
        # And afterwards, in every run, through thousands of classes that stay anyway.
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        _loaded.add(module)
        return loaded


def _load_all() -> None:
    load(PROGRAM)
    load(DECLARATIONS)


def _leave_httpx_alone() -> None:
    # It brings a command line of its own, and all of rich for it; it does without where there is none.
    modules: dict[str, Any] = sys.modules
    modules.setdefault("httpx._main", None)
