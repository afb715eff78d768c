"""No history of a stack breaks a promise, on the real engine and the real Kubernetes API.

`DITTOINFRA_SERVER_HISTORIES` sets how many are run; `DITTOINFRA_STACK_SEED` is the first seed.
"""

import os
from pathlib import Path

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.failure_message import SEED, SERVER_HISTORIES, failure_message
from tests.chaos.histories.generate import history

# The same seeds in every run, so that a failure is due to the change; `make nightly` uses new ones.
FIRST = int(os.environ.get(SEED, "1"))
COUNT = int(os.environ.get(SERVER_HISTORIES, "60"))


@pytest.mark.history
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_every_promise_holds_in_every_history_of_a_stack(bed: Bed, seed: int) -> None:
    generated = history(seed)
    with bed.history_run(generated.versions) as run:
        try:
            run.run(generated)
        except Exception as broken:
            steps, versions = len(generated.steps), generated.versions
            broken.add_note(failure_message(Path(__file__), SERVER_HISTORIES, seed, run.log, steps, versions))
            raise
