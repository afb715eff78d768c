"""The note on a failed history: its steps, and the command that repeats it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.simulator.versions import ServerVersion
from tests import ROOT

SEED = "DITTOINFRA_STACK_SEED"
"""The number of the first history."""
OWN_SIDE_HISTORIES = "DITTOINFRA_STACK_HISTORIES"
"""How many there are in `ours`, one number after the other."""
SERVER_HISTORIES = "DITTOINFRA_SERVER_HISTORIES"
"""The same for those in which servers and the cluster go wrong."""


def failure_message(
    test: Path,
    histories: str,
    seed: int,
    log: Sequence[str],
    steps: int,
    versions: Mapping[str, ServerVersion],
) -> str:
    """The steps up to the one that broke a promise, and how to repeat them.

    `test` is the file that runs these histories, and `histories` the variable that says how many it runs.
    """
    running = ", ".join(f"{name} runs DittoFS {version}" for name, version in versions.items())
    return "\n".join(
        [
            f"history {seed}, broken in step {len(log)} of {steps}; {running}:",
            *(f"  {number}. {line}" for number, line in enumerate(log, 1)),
            f"to repeat it: {SEED}={seed} {histories}=1 .venv/bin/pytest -n 0 {test.relative_to(ROOT)}",
        ]
    )
