"""The provider's modules are loaded beside the work, once, whoever wants them."""

import subprocess
import sys

AHEAD = """
import gc, sys, threading
from concurrent.futures import ThreadPoolExecutor
from dittoinfra.loading import DECLARATIONS, PROGRAM, load, load_ahead

assert DECLARATIONS not in sys.modules
load_ahead()
began = hasattr(sys.modules["dittoinfra"], "declare")
with ThreadPoolExecutor(8) as threads:
    list(threads.map(lambda number: load((PROGRAM, DECLARATIONS)[number % 2]), range(8)))
from dittoinfra.declare import Server
from pulumi_kubernetes.core.v1 import Service
frozen = gc.get_freeze_count()
load(DECLARATIONS)
print(began, Server.__name__, Service.__name__, gc.isenabled(), frozen > 0, gc.get_freeze_count() == frozen)
"""


def test_it_returns_at_once_and_eight_threads_find_everything_loaded_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AHEAD], capture_output=True, text=True, timeout=240, check=False
    )

    assert done.stdout.split() == ["False", "Server", "Service", "True", "True", "True"], done.stderr
