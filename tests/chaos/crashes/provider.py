"""`python -m tests.chaos.crashes.provider`: a stand-in provider in its own process that kills itself."""

import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from dittoinfra.kubernetes import connect
from lab.bed.process import Server
from lab.standin import ApiStore, StandInProvider
from tests.chaos.crashes.fault_store import FaultPoint, FaultStore

READY_SECONDS = 120.0


def main(kubeconfig: str, moment: FaultPoint) -> None:
    """Serve until the fault point is reached."""
    store = FaultStore(
        ApiStore(connect(kubeconfig, None)), moment, lambda: os.kill(os.getpid(), signal.SIGKILL)
    )
    with StandInProvider(store) as provider:
        sys.stdout.write(json.dumps(provider.environment()) + "\n")
        sys.stdout.flush()
        threading.Event().wait()


class KilledProvider:
    """Such a provider process, for one run."""

    def __init__(self, kubeconfig: Path, moment: FaultPoint, root: Path, log: Path) -> None:
        words = [str(kubeconfig), json.dumps(asdict(moment))]
        command = [sys.executable, "-m", "tests.chaos.crashes.provider", *words]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        self.server = Server("provider", command, log, environment=environment)
        self.server.wait_until(lambda: self.server.output.endswith("}\n"), READY_SECONDS)

    def environment(self) -> dict[str, str]:
        """Environment variables with which an engine attaches to it."""
        return dict(json.loads(self.server.output.splitlines()[0]))


if __name__ == "__main__":
    main(sys.argv[1], FaultPoint(**json.loads(sys.argv[2])))
