"""Whatever our own side does wrong, no promise is broken: on the real engine and the real Kubernetes API.

`DITTOINFRA_STACK_HISTORIES` and `DITTOINFRA_STACK_SEED` say how many, and from which number on.
"""

import os

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.ours.bed import life
from tests.chaos.histories.ours.dice import history
from tests.chaos.histories.story import HISTORIES, SEED, story

FIRST = int(os.environ.get(SEED, "1"))
COUNT = int(os.environ.get(HISTORIES, "300"))


@pytest.mark.own_side
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_no_promise_is_broken_by_our_own_side(bed: Bed, seed: int) -> None:
    drawn = history(seed)
    with life(bed, drawn.versions) as living:
        try:
            living.live(drawn)
        except Exception as broken:
            broken.add_note(story(seed, living.lived, len(drawn.moves)))
            raise
