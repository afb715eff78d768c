"""One operation, timed."""

import sys
import time
from collections.abc import Callable


def told(operate: Callable[[], object]) -> None:
    """Operate, and print the seconds that it took."""
    began = time.perf_counter()
    operate()
    sys.stdout.write(f"{time.perf_counter() - began}\n")
