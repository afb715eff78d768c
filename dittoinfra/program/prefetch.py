"""Loads the modules that a run needs beside something else that takes time.

A later import waits for one that is under way here, or uses what it has loaded.
"""

import threading


def prefetch_program() -> None:
    """Begin to load everything that a run needs, and return at once."""
    threading.Thread(target=_load_program, name="prefetch-program").start()


def prefetch_components() -> None:
    """Begin to load the modules that a run declares with, and return at once."""
    threading.Thread(target=_load_components, name="prefetch-components").start()


def _load_program() -> None:
    # The code that polls servers first; the provider's modules are not needed before the servers have
    # answered.
    import dittoinfra.program.engine_run  # noqa: F401 - loaded for later imports

    _load_components()


def _load_components() -> None:
    import dittoinfra.components  # noqa: F401 - likewise
