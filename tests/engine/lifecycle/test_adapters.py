"""Adapters are enabled, disabled, deleted and added, and their Services follow."""

from dittoinfra.changes import Changes
from lab.bed.process import free_ports
from tests.engine.lifecycle.stage import Stage


def test_a_disabled_adapter_goes_and_an_enabled_one_comes(stage: Stage) -> None:
    before = stage.identities()
    assert stage.ports() == stage.served_ports()

    stage.dittofs.disable("smb")

    assert stage.up().changes == Changes(delete=1, same=3)
    assert stage.identities() == {"nfs": before["nfs"]}
    assert not stage.up().changes.any

    stage.dittofs.enable("smb")

    report = stage.up()
    assert report.changes == Changes(create=1, same=3)
    assert report.lines("warning") == []
    assert stage.identities()["nfs"] == before["nfs"]
    stage.assert_settled()


def test_a_deleted_adapter_is_counted_out_and_an_added_one_comes(stage: Stage) -> None:
    before = stage.identities()
    stage.dittofs.delete("smb")

    for count in ("1", "2"):
        report = stage.up()
        assert report.changes == Changes(update=1, same=3)
        assert report.lines("warning") == [f"media: smb is missing from the answer, absent {count}/3: kept"]
        assert stage.absences() == {"nfs": None, "smb": count}
        assert stage.identities() == before

    assert stage.up().changes == Changes(delete=1, same=3)
    assert stage.identities() == {"nfs": before["nfs"]}
    stage.assert_settled()

    [port] = free_ports(1)
    stage.dittofs.add("smb", port)

    assert stage.up().changes == Changes(create=1, same=3)
    assert stage.ports()["smb"] == port
    stage.assert_settled()


def test_an_adapter_that_is_added_in_time_keeps_its_service(stage: Stage) -> None:
    before = stage.identities()
    stage.dittofs.delete("smb")
    stage.up()
    [port] = free_ports(1)

    stage.dittofs.add("smb", port)

    assert stage.up().changes == Changes(update=1, same=3)
    assert stage.ports()["smb"] == port
    assert stage.absences() == {"nfs": None, "smb": None}
    assert stage.identities() == before
    stage.assert_settled()
