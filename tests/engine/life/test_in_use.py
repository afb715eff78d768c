"""A client that is connected protects what it uses, and releases it by leaving."""

from contextlib import suppress

from dittoinfra.changes import Changes
from dittoinfra.exitcodes import ExitCode
from lab.bed.dittofs import wait_until
from tests.engine.life.conftest import SetStage
from tests.engine.life.stage import ServerOptions, Stage
from tests.engine.world import CREDENTIALS, PASSWORD_ENV


def _protect(stage: Stage, *, username: str = "admin", **settings: object) -> None:
    """The stack protects what is in use, and logs in as an administrator unless told otherwise."""
    if username == "admin":
        stage.world.give_password(stage.dittofs.admin_password)
    api = {
        "url": stage.dittofs.url,
        "username": username,
        "passwordEnv": PASSWORD_ENV,
        "requestTimeout": "20s",
        "deadline": "60s",
    }
    media = {"name": "media", "namespace": stage.namespace.name, "api": api, **settings}
    stage.world.configure(media, protectInUse=True, drainUploads=True)


def _refused(stage: Stage) -> str:
    """Why neither a preview nor an update goes on; nothing is changed."""
    before = stage.services()
    for report in (stage.world.stack.preview(), stage.world.stack.up()):
        assert report.exit_code == ExitCode.POLICY, report.lines("error")
        (line,) = report.lines("error")
    assert stage.services() == before
    return line


def test_a_mount_protects_its_adapter_until_the_client_leaves(stage: Stage) -> None:
    _protect(stage)
    dittofs = stage.dittofs

    # The server itself disconnects the clients of an adapter that it stops: they cannot say goodbye.
    with suppress(OSError), dittofs.nfs_mount():
        dittofs.disable("nfs")

        line = _refused(stage)
        assert "in use: this run would remove media/nfs (disabled), which cuts off " in line
        assert "1 mount; run again when they have left" in line
        assert "`dittoinfra:approveRemovals: [media/nfs]`" in line

    dittofs.enable("nfs")
    wait_until(lambda: dittofs.listens("nfs"))
    with dittofs.nfs_mount():
        assert not stage.up().changes.any, "nothing is removed, so nobody is asked"
    dittofs.disable("nfs")

    wait_until(lambda: dittofs.ask("GET", "/clients").json() == [])
    report = stage.up()
    assert report.changes == Changes(delete=1, same=3)
    assert "media: this run would remove media/nfs (disabled), which cuts off no clients" in report.lines(
        "info"
    )


def test_a_client_stops_a_restart_of_its_server_until_it_leaves(set_stage: SetStage) -> None:
    stage = set_stage(ServerOptions())
    _protect(stage, deploy={"credentials": CREDENTIALS})
    stage.up()
    stage.dittofs.disable("smb")

    with stage.dittofs.nfs_mount():
        line = _refused(stage)
        assert "this run would restart media, because its adapters changed" in line
        assert "which cuts off 1 client and 1 mount; " in line
        assert "`dittoinfra:approveRestarts: [media]`" in line

    wait_until(lambda: stage.dittofs.ask("GET", "/clients").json() == [])
    report = stage.up()
    assert set(stage.services()) == {"nfs"}
    assert "media: its uploads are drained" in report.lines("info")
