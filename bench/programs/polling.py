"""The polling phase of a run on its own: `python -m bench.programs.polling CONNECTIONS`.

The first line of its input is the ports as JSON. Every further line is one more phase, and is answered with
its seconds, the most memory that the process has held so far, and the outcomes by kind.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, Login, NotAsked, Polling
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.gc_tuning import tune_collector


def main() -> None:
    """Poll whenever a line comes."""
    tune_collector()  # as in every run
    connections = int(sys.argv[1])
    login = Login("bench", SecretStr("any"), PasswordSource("nowhere", "nothing to do"))
    accesses: dict[str, ApiAccess | NotAsked] = {
        f"server-{port}": ApiAccess(f"http://127.0.0.1:{port}", login)
        for port in json.loads(sys.stdin.readline())
    }
    for _ in sys.stdin:
        began = time.perf_counter()
        with Polling(accesses, connections) as polling:
            outcomes = polling.first()
        seconds = time.perf_counter() - began
        kinds = Counter(type(outcome).__name__ for outcome in outcomes.values())
        sys.stdout.write(json.dumps({"seconds": seconds, "memory": _most_memory(), "outcomes": kinds}) + "\n")
        sys.stdout.flush()


def _most_memory() -> float:
    """Megabytes. What `getrusage` says begins with what the parent held when it started this process."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
