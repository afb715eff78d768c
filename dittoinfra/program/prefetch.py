"""Loads the modules that a run needs while the pulumi CLI starts.

A later import waits for one that is under way here, or uses what it has loaded.
"""

import threading


def prefetch_program() -> None:
    """Begin to load everything that a run needs, and return at once."""
    threading.Thread(target=_load_program, name="prefetch-program").start()


def _load_program() -> None:
    import dittoinfra.program.engine_run  # noqa: F401 - loaded for later imports
