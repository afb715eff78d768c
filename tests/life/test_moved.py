"""An adapter moved to another port while everybody asks and stacks run."""

from concurrent.futures import ThreadPoolExecutor

from dittoinfra.automation import Changes
from tests.bed.dittofs import wait_until
from tests.bed.process import free_ports
from tests.life.load import asked_all_the_time
from tests.life.stage import READER, Stage


def test_a_run_in_the_middle_of_a_move_keeps_the_service_where_it_was(stage: Stage) -> None:
    """Until its clients have gone, an adapter that moves is enabled, has its new port, and does not run."""
    before, ports = stage.identities(), stage.ports()
    [port] = free_ports(1)

    with asked_all_the_time(stage.dittofs.url, READER, stage.world.password) as statuses:
        with stage.dittofs.moving("nfs", port):
            report = stage.up()

        assert report.changes == Changes(updates=1, sames=5)
        assert report.lines("warning") == ["media: nfs is not running, absent 1/3: kept"]
        assert stage.ports() == ports
        assert stage.absences() == {"nfs": "1", "smb": None}
        assert stage.identities() == before

        report = stage.up()
        wait_until(lambda: statuses.total() > 0)

    assert report.changes == Changes(updates=1, sames=5)
    assert stage.ports() == ports | {"nfs": port}
    assert stage.absences() == {"nfs": None, "smb": None}
    assert stage.identities() == before
    assert set(statuses) == {200}
    stage.assert_settled()


def test_runs_beside_moves_never_lose_a_service(stage: Stage) -> None:
    before = stage.identities()

    # Two, because a third run in a row that finds the adapter on its way may rightly give it up.
    with (
        asked_all_the_time(stage.dittofs.url, READER, stage.world.password) as statuses,
        ThreadPoolExecutor(1) as mover,
    ):
        for port in free_ports(2):
            move = mover.submit(stage.dittofs.set_port, "nfs", port)
            changes = stage.up().changes
            move.result()
            assert (changes.creates, changes.deletes, changes.replaces) == (0, 0, 0)
            assert stage.identities() == before
        wait_until(lambda: statuses.total() > 0)

    stage.up()
    assert stage.identities() == before
    assert set(statuses) == {200}
    stage.assert_settled()
