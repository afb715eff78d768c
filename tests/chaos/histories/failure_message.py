"""The note on a failed history: its steps, and the command that repeats it."""

from collections.abc import Mapping, Sequence

from lab.simulator.versions import ServerVersion

SEED = "DITTOINFRA_STACK_SEED"
"""The number of the first history."""
HISTORIES = "DITTOINFRA_STACK_HISTORIES"
"""How many there are, one number after the other."""


def failure_message(seed: int, log: Sequence[str], steps: int, versions: Mapping[str, ServerVersion]) -> str:
    """The steps up to the one that broke a promise, and how to repeat them."""
    running = ", ".join(f"{name} runs DittoFS {version}" for name, version in versions.items())
    return "\n".join(
        [
            f"history {seed}, broken in step {len(log)} of {steps}; {running}:",
            *(f"  {number}. {line}" for number, line in enumerate(log, 1)),
            f"to repeat it: {SEED}={seed} {HISTORIES}=1 .venv/bin/pytest -n 0 tests/chaos/histories",
        ]
    )
