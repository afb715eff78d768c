"""No history of a server removes an adapter too early or gives one name to two Services.

`DITTOINFRA_SEED` draws other histories, `DITTOINFRA_HISTORIES` more or fewer of them.
"""

import os
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dittoinfra import naming
from dittoinfra.model import Answered, Denied, Nonsense, Outcome, Reason, ReportedAdapter, State, Unreachable
from tests.pure.decide.histories.generate import history
from tests.pure.decide.histories.history import (
    ABSENCE_POLLS,
    DEPLOYS,
    EXPOSURES,
    NOT_RUNNING,
    PINS,
    PORTS,
    REMOVALS,
    TYPES,
    History,
    Rules,
    Run,
)
from tests.pure.decide.histories.invariants import check
from tests.pure.decide.make import UNANSWERED

SEED = os.environ.get("DITTOINFRA_SEED", "dittofs")
HISTORIES = int(os.environ.get("DITTOINFRA_HISTORIES", "100000"))
SHARDS = 8


@pytest.fixture
def _names_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # A third of the time would go into building the same dozen names; they have tests of their own.
    for build in (naming.adapter_service, naming.adapter_udp_service, naming.port_name):
        monkeypatch.setattr(naming, build.__name__, cache(build))


@pytest.mark.usefixtures("_names_built_once")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_promise_holds_in_a_hundred_thousand_histories(shard: int) -> None:
    for number in range(shard, HISTORIES, SHARDS):
        life = history(f"{SEED}/{number}")
        try:
            check(life)
        except Exception as broken:
            broken.add_note(f"history {number} of DITTOINFRA_SEED={SEED}: {life}")
            raise


def test_the_histories_come_into_every_situation() -> None:
    decisions = [decision for number in range(1000) for decision in check(history(f"{SEED}/{number}"))]

    assert {adapter.state for decision in decisions for adapter in decision.adapters} == set(State)
    reasons = {removal.reason for decision in decisions for removal in decision.removals}
    assert reasons == {Reason.ABSENT, Reason.DISABLED}
    outcomes = {type(decision.outcome) for decision in decisions}
    assert outcomes == {Answered, Unreachable, Denied, Nonsense}
    assert any(decision.bootstrap for decision in decisions)
    assert any(decision.lost for decision in decisions)


@st.composite
def _answers(draw: st.DrawFn) -> Answered:
    types = draw(st.lists(st.sampled_from(TYPES), unique=True, max_size=4))
    ports = draw(st.permutations(PORTS))
    return Answered(
        tuple(
            ReportedAdapter(adapter_type, port, draw(st.booleans()), draw(st.booleans()))
            for adapter_type, port in zip(types, ports, strict=False)
        )
    )


_OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(_answers(), st.sampled_from(UNANSWERED))
_RULES = st.builds(
    Rules,
    st.sampled_from(ABSENCE_POLLS),
    st.sampled_from(REMOVALS),
    st.sampled_from(PINS),
    st.sampled_from(NOT_RUNNING),
)
_RUNS: st.SearchStrategy[Sequence[Run]] = st.lists(
    st.builds(Run, _RULES, st.lists(_OUTCOMES, min_size=1, max_size=3), st.none() | st.sampled_from(TYPES)),
    max_size=5,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.builds(History, st.integers(0, len(EXPOSURES) - 1), st.integers(0, len(DEPLOYS) - 1), _RUNS))
def test_every_promise_holds_and_the_shortest_history_that_breaks_it_is_shown(life: History) -> None:
    check(life)
