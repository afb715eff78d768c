"""No life of a stack, however it goes, breaks a promise: on the real engine and the real Kubernetes API.

`DITTOINFRA_STACK_HISTORIES` draws more or fewer of them; `DITTOINFRA_STACK_SEED` is the first one's number.
"""

import os

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.dice import history
from tests.chaos.histories.story import HISTORIES, SEED, story

# The same ones every day, or a change would be blamed for what it did not do; nights are for others.
FIRST = int(os.environ.get(SEED, "1"))
COUNT = int(os.environ.get(HISTORIES, "60"))


@pytest.mark.history
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_every_promise_holds_in_every_life_of_a_stack(bed: Bed, seed: int) -> None:
    drawn = history(seed)
    with bed.life() as life:
        try:
            life.live(drawn)
        except Exception as broken:
            broken.add_note(story(seed, life.lived, len(drawn.steps)))
            raise
