"""Mistakes of users and concurrent runs break no promise, on the real engine and the real Kubernetes API.

`DITTOINFRA_STACK_HISTORIES` sets how many histories are run; `DITTOINFRA_STACK_SEED` is the first seed.
"""

import os
from pathlib import Path

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.failure_message import OWN_SIDE_HISTORIES, SEED, failure_message
from tests.chaos.histories.ours.bed import history_run
from tests.chaos.histories.ours.generate import history

FIRST = int(os.environ.get(SEED, "1"))
COUNT = int(os.environ.get(OWN_SIDE_HISTORIES, "300"))


@pytest.mark.own_side
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_no_promise_is_broken_by_our_own_side(bed: Bed, seed: int) -> None:
    generated = history(seed)
    with history_run(bed, generated.versions) as run:
        try:
            run.run(generated)
        except Exception as broken:
            steps, versions = len(generated.steps), generated.versions
            broken.add_note(
                failure_message(Path(__file__), OWN_SIDE_HISTORIES, seed, run.log, steps, versions)
            )
            raise
