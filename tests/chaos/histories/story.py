"""What a person needs who meets a broken history: what happened, and how to live it again."""

from collections.abc import Sequence

SEED = "DITTOINFRA_STACK_SEED"
"""The number of the first history."""
HISTORIES = "DITTOINFRA_STACK_HISTORIES"
"""How many there are, one number after the other."""


def story(seed: int, lived: Sequence[str], steps: int) -> str:
    """The steps of a history up to the one that broke a promise."""
    return "\n".join(
        [
            f"history {seed}, broken in step {len(lived)} of {steps}:",
            *(f"  {number}. {line}" for number, line in enumerate(lived, 1)),
            f"to live it again: {SEED}={seed} {HISTORIES}=1 .venv/bin/pytest -n 0 tests/chaos/histories",
        ]
    )
