"""An oracle is worth what it notices: code that breaks a promise is caught by the lives that can tell."""

from itertools import islice

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.ours.bed import life
from tests.chaos.histories.ours.dice import history
from tests.chaos.histories.ours.mutations import MUTATIONS, Mutation
from tests.chaos.histories.ours.promises import BrokenPromiseError, Promise

LIVES = 8
"""As many must be enough."""


def test_every_promise_has_a_mutation_that_breaks_it() -> None:
    assert {promise for mutation in MUTATIONS for promise in mutation.promises} == set(Promise)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_code_that_breaks_a_promise_is_noticed(
    bed: Bed, monkeypatch: pytest.MonkeyPatch, mutation: Mutation
) -> None:
    mutation.patch(monkeypatch)
    noticed = next(filter(None, (_broken(bed, seed) for seed in islice(mutation.seeds(), LIVES))), None)
    assert noticed is not None, "nothing was noticed"
    assert noticed.promise in mutation.promises, noticed


def _broken(bed: Bed, seed: int) -> BrokenPromiseError | None:
    drawn = history(seed)
    with life(bed, drawn.versions) as living:
        try:
            living.live(drawn)
        except BrokenPromiseError as broken:
            return broken
    return None
