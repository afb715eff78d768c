"""Unexpected answers of the server, and what a stack makes of each.

A deleted adapter that a restart brings back, and a server that shuts down, are in `test_outages.py`; a move
that everybody can watch is in `test_moved.py`.
"""

import pytest

from dittoinfra.changes import Changes
from lab.bed.process import free_ports
from tests.dittofs_kinds import EVERY_KIND
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import ServerOptions, Stage, nonsense, not_running

pytestmark = pytest.mark.parametrize("kind", EVERY_KIND, indirect=True, ids=str)

NOTHING = Changes(same=4)
MOVED = Changes(update=1, same=3)
DEFAULT_SMB_PORT = 12445


@pytest.mark.usefixtures("default_ports")
def test_port_0_is_the_default_port(stage: Stage) -> None:
    before = stage.identities()

    stage.dittofs.set_port("smb", 0)

    report = stage.up()
    assert report.changes == MOVED
    assert report.lines("warning") == []
    assert stage.ports()["smb"] == DEFAULT_SMB_PORT
    assert stage.identities() == before
    assert stage.up().changes == NOTHING


def test_a_port_in_use_is_followed_where_it_is_said_to_run_and_waited_for_otherwise(stage: Stage) -> None:
    before, ports, waits = stage.identities(), stage.ports(), stage.dittofs.version.waits_for_listener
    kept = not_running("nfs", ports["nfs"]) if waits else None

    with stage.dittofs.taken_port() as port:
        stage.dittofs.ask("PUT", "/adapters/nfs", {"port": port})
        report = stage.up()
        assert report.changes == (NOTHING if waits else MOVED)
        stage.assert_warned(report, kept)

        # A boot that finds the port taken says the same.
        stage.dittofs.stop()
        stage.dittofs.start()
        report = stage.up()
        assert report.changes == NOTHING
        stage.assert_warned(report, kept)
        assert stage.ports() == (ports if waits else ports | {"nfs": port})
        assert stage.absences() == {"nfs": None, "smb": None}

    stage.dittofs.enable("nfs")

    assert stage.up().changes == (MOVED if waits else NOTHING)
    assert stage.ports() == ports | {"nfs": port}
    assert stage.identities() == before
    stage.assert_settled()


def test_impossible_ports_change_nothing_whether_they_are_refused_or_stored(stage: Stage) -> None:
    before, ports, checks = stage.services(), stage.ports(), stage.dittofs.version.checks_adapters

    for port in (70000, -5):
        stage.dittofs.ask("PUT", "/adapters/smb", {"port": port})

        report = stage.up()
        assert report.changes == NOTHING
        what = f"has a port of smb outside 1..65535: {port}"
        stage.assert_warned(report, None if checks else nonsense(stage.dittofs.url, what))

    stage.dittofs.ask("PUT", "/adapters/smb", {"port": ports["nfs"]})

    report = stage.up()
    assert report.changes == NOTHING
    twice = nonsense(stage.dittofs.url, f"has two running adapters on one port: {ports['nfs']}")
    waits = stage.dittofs.version.waits_for_listener
    stage.assert_warned(report, not_running("smb", ports["smb"]) if waits else twice)

    stage.dittofs.set_port("smb", ports["smb"])

    stage.assert_settled()
    assert stage.services() == before, "not a byte was written in the whole time"


def test_an_adapter_whose_clients_do_not_leave_moves_or_waits_for_an_administrator(
    set_stage: SetStage,
) -> None:
    stage = set_stage(ServerOptions(shutdown_timeout=1))
    stage.configure()
    assert stage.up().changes.create == 4
    before, ports, waits = stage.identities(), stage.ports(), stage.dittofs.version.waits_for_listener
    [port] = free_ports(1)

    with stage.dittofs.busy_clients():
        stage.dittofs.ask("PUT", "/adapters/nfs", {"port": port})
    for changes in (NOTHING if waits else MOVED, NOTHING):
        report = stage.up()
        assert report.changes == changes
        stage.assert_warned(report, not_running("nfs", ports["nfs"]) if waits else None)

    stage.dittofs.enable("nfs")

    assert stage.up().changes == (MOVED if waits else NOTHING)
    assert stage.ports() == ports | {"nfs": port}
    assert stage.identities() == before
    stage.assert_settled()


def test_a_new_adapter_comes_even_if_it_was_asked_for_disabled_and_not_where_it_left_no_row(
    stage: Stage,
) -> None:
    """Without smb, the stack, the component and the Service of nfs are left."""
    before, waits = stage.identities(), stage.dittofs.version.waits_for_listener
    stage.configure(absencePolls=1)
    stage.dittofs.delete("smb")
    assert stage.up().changes == Changes(delete=1, same=3)

    stage.dittofs.ask("POST", "/adapters", {"type": "ftp", "port": 2121})
    assert stage.up().changes == Changes(same=3)

    with stage.dittofs.taken_port() as port:
        stage.dittofs.ask("POST", "/adapters", {"type": "smb", "port": port})
        assert stage.up().changes == (Changes(same=3) if waits else Changes(create=1, same=3))
        if not waits:
            stage.dittofs.delete("smb")
            assert stage.up().changes == Changes(delete=1, same=3)

    [port] = free_ports(1)
    stage.dittofs.ask("POST", "/adapters", {"type": "smb", "port": port, "enabled": False})

    assert stage.up().changes == Changes(create=1, same=3)
    assert stage.ports()["smb"] == port
    assert stage.identities()["nfs"] == before["nfs"]
    stage.assert_settled()
