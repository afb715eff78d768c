"""The server is killed, stopped and restarted: a run without an answer changes nothing."""

from collections.abc import Callable

import pytest

from dittoinfra.changes import Changes
from lab.bed.dittofs import DittoFSServer
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import NOTHING_CHANGES, ServerOptions, Stage

FIRST_START_PORT = 1445
"""Where smb is after a start that found no row of it."""


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda dittofs: dittofs.kill(), id="killed"),
        pytest.param(lambda dittofs: dittofs.stop(), id="stopped"),
    ],
)
def test_an_outage_changes_nothing_and_neither_does_its_end(
    stage: Stage, end: Callable[[DittoFSServer], None]
) -> None:
    before = stage.services()
    stage.configure(api={"deadline": "2s"})

    end(stage.dittofs)

    stage.assert_kept(
        f"unreachable: {stage.dittofs.url}/api/v1/auth/login: the connection was refused; "
        "check api.url and that the server is running"
    )

    stage.dittofs.start()

    stage.configure()
    stage.assert_settled()
    assert stage.services() == before, "not a byte was written in the whole time"


def test_a_shutdown_that_takes_its_time_changes_nothing(set_stage: SetStage) -> None:
    stage = set_stage(ServerOptions(shutdown_timeout=120))
    stage.configure(api={"deadline": "2s"})
    assert stage.up().changes.create == 4
    before = stage.services()

    with stage.dittofs.stopping():
        # In its first moments the server may still answer.
        assert stage.up().changes == NOTHING_CHANGES
        stage.assert_kept(
            f"unreachable: {stage.dittofs.url}/api/v1/auth/login: the connection was refused; "
            "check api.url and that the server is running"
        )
    stage.dittofs.start()

    stage.configure()
    stage.assert_settled()
    assert stage.services() == before, "not a byte was written in the whole time"


def test_an_absence_is_not_counted_while_the_server_does_not_answer(stage: Stage) -> None:
    stage.dittofs.delete("smb")
    stage.up()
    counted = stage.services()
    stage.dittofs.kill()
    stage.configure(api={"deadline": "2s"})

    for _ in range(3):
        assert not stage.up().changes.any
    assert stage.services() == counted
    assert stage.absences() == {"nfs": None, "smb": "1"}


@pytest.mark.usefixtures("default_ports")
def test_a_deleted_adapter_that_a_restart_brings_back_keeps_its_service(stage: Stage) -> None:
    before = stage.identities()
    stage.dittofs.delete("smb")
    stage.up()

    stage.dittofs.kill()
    stage.dittofs.start()

    report = stage.up()
    assert report.changes == Changes(update=1, same=3)
    assert report.lines("warning") == []
    assert stage.ports()["smb"] == FIRST_START_PORT
    assert stage.absences() == {"nfs": None, "smb": None}
    assert stage.identities() == before
    stage.assert_settled()
