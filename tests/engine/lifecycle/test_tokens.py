"""Tokens that expire during a run."""

import pytest

from dittoinfra.changes import Changes
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import ServerOptions

A_WEEK = 604_800


@pytest.mark.parametrize(
    "refresh_lifetime",
    [
        pytest.param(A_WEEK, id="refreshed"),
        pytest.param(2, id="logged-in-again"),
    ],
)
def test_a_run_outlives_tokens_of_two_seconds(set_stage: SetStage, refresh_lifetime: int) -> None:
    stage = set_stage(ServerOptions(access_lifetime=2, refresh_lifetime=refresh_lifetime))
    stage.configure(pollsPerRun=3, pollInterval="2100ms")
    assert stage.up().changes.create == 4
    before = stage.identities()

    stage.dittofs.delete("smb")

    report = stage.up()
    assert report.lines("warning") == ["media: smb is absent 3/3: its Service is removed"], "three answers"
    assert report.changes == Changes(delete=1, same=3)
    assert stage.identities() == {"nfs": before["nfs"]}
    stage.assert_settled()
