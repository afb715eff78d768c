"""Keeps the SDK's own noise from people's screens; what went wrong is told from the engine's events."""

import sys
import warnings


def quiet_sdk() -> None:
    """No warnings about event streams that broke off, no tracebacks of coroutines that nobody finished.

    For the rest of the process: the interpreter finds some of those only when it ends.
    """
    sys.unraisablehook = lambda _: None
    warnings.simplefilter("ignore")
