"""Each mutation of the product that breaks a promise is detected by the histories."""

from itertools import islice

import pytest

from tests.chaos.histories.conftest import Bed
from tests.chaos.histories.ours.bed import history_run
from tests.chaos.histories.ours.generate import history
from tests.chaos.histories.ours.mutations import MUTATIONS, Mutation
from tests.chaos.histories.ours.promises import BrokenPromiseError, Promise

HISTORIES = 8
"""How many histories may be tried."""


def test_every_promise_has_a_mutation_that_breaks_it() -> None:
    assert {mutation.promise for mutation in MUTATIONS} == set(Promise)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_code_that_breaks_a_promise_is_noticed(
    bed: Bed, monkeypatch: pytest.MonkeyPatch, mutation: Mutation
) -> None:
    mutation.patch(monkeypatch)
    noticed = next(filter(None, (_broken(bed, seed) for seed in islice(mutation.seeds(), HISTORIES))), None)
    assert noticed is not None, "the mutation was not detected"
    assert noticed.promise is mutation.promise, noticed


def _broken(bed: Bed, seed: int) -> BrokenPromiseError | None:
    generated = history(seed)
    with history_run(bed, generated.versions) as run:
        try:
            run.run(generated)
        except BrokenPromiseError as broken:
            return broken
    return None
