"""An adapter's port changes during polls and runs."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dittoinfra.changes import Changes
from lab.bed.dittofs import wait_until
from lab.bed.process import free_ports
from tests.dittofs_kinds import EVERY_KIND
from tests.engine.lifecycle.load import asked_all_the_time
from tests.engine.lifecycle.stage import READER, Stage, not_running

pytestmark = pytest.mark.parametrize("kind", EVERY_KIND, indirect=True, ids=str)


def test_a_run_in_the_middle_of_a_move_keeps_the_service(stage: Stage) -> None:
    """Until its clients have gone, an adapter that moves has its new port, and may or may not say it runs."""
    before, ports = stage.identities(), stage.ports()
    [port] = free_ports(1)
    moved, waits = Changes(update=1, same=3), Changes(same=4)
    follows = stage.dittofs.version.runs_while_stopping

    with asked_all_the_time(stage.dittofs.url, READER, stage.world.password) as statuses:
        with stage.dittofs.moving("nfs", port):
            report = stage.up()

        assert report.changes == (moved if follows else waits)
        stage.assert_warned(report, None if follows else not_running("nfs", ports["nfs"]))
        assert stage.ports() == (ports | {"nfs": port} if follows else ports)
        assert stage.absences() == {"nfs": None, "smb": None}
        assert stage.identities() == before

        report = stage.up()
        wait_until(lambda: statuses.total() > 0)

    assert report.changes == (waits if follows else moved)
    assert stage.ports() == ports | {"nfs": port}
    assert stage.absences() == {"nfs": None, "smb": None}
    assert stage.identities() == before
    assert set(statuses) == {200}
    stage.assert_settled()


def test_runs_beside_moves_never_lose_a_service(stage: Stage) -> None:
    before = stage.identities()

    # With `notRunning: keep` an adapter on its way is kept, however many runs in a row find it so.
    with (
        asked_all_the_time(stage.dittofs.url, READER, stage.world.password) as statuses,
        ThreadPoolExecutor(1) as mover,
    ):
        for port in free_ports(2):
            move = mover.submit(stage.dittofs.set_port, "nfs", port)
            changes = stage.up().changes
            move.result()
            assert (changes.create, changes.delete, changes.replace) == (0, 0, 0)
            assert stage.identities() == before
        wait_until(lambda: statuses.total() > 0)

    stage.up()
    assert stage.identities() == before
    assert set(statuses) == {200}
    stage.assert_settled()
