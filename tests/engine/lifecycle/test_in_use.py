"""A connected client protects the adapter it uses until it disconnects."""

from contextlib import AbstractContextManager, ExitStack, suppress

import pytest

from dittoinfra.changes import Changes
from dittoinfra.exitcodes import ExitCode
from dittoinfra.request import RunOptions
from lab.bed.dittofs import wait_until
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import ServerOptions, Stage
from tests.engine.world import CREDENTIALS, PASSWORD_ENV


def _protect(stage: Stage, *, username: str = "admin", **settings: object) -> None:
    """Configure protection of adapters in use, with an administrator's login by default."""
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


def _client(stage: Stage, adapter: str) -> AbstractContextManager[None]:
    """A client of one of the adapters."""
    return stage.dittofs.nfs_mount() if adapter == "nfs" else stage.dittofs.smb_session()


def _clients(stage: Stage) -> object:
    """Who is connected."""
    return stage.dittofs.ask("GET", "/clients").json()


def _refused(stage: Stage) -> str:
    """Why preview and update are refused; nothing changes."""
    before = stage.services()
    for report in (stage.world.stack.preview(), stage.world.stack.up()):
        assert report.exit_code == ExitCode.POLICY, report.lines("error")
        (line,) = report.lines("error")
    assert stage.services() == before
    return line


@pytest.mark.parametrize(("adapter", "waiting"), [("nfs", "1 mount"), ("smb", "1 durable handle")])
def test_what_waits_for_a_disabled_adapter_protects_it_until_the_client_leaves(
    stage: Stage, adapter: str, waiting: str
) -> None:
    _protect(stage)
    dittofs = stage.dittofs

    with ExitStack() as connected:
        connected.enter_context(_client(stage, adapter))
        dittofs.disable(adapter)
        wait_until(lambda: _clients(stage) == [])

        line = _refused(stage)
        assert (
            f"in use: this run would remove media/{adapter} (disabled), which cuts off {waiting}; run" in line
        )
        assert f"`dittoinfra:approveRemovals: [media/{adapter}]`" in line
        # The server itself disconnects the clients of an adapter that it stops: they cannot say goodbye.
        with suppress(OSError):
            connected.close()

    dittofs.enable(adapter)
    wait_until(lambda: dittofs.listens(adapter))
    with _client(stage, adapter):
        assert not stage.up().changes.any, "nothing is removed, so no server is asked"
    dittofs.disable(adapter)

    wait_until(lambda: _clients(stage) == [])
    report = stage.up()
    assert report.changes == Changes(delete=1, same=3)
    gone = f"media: this run would remove media/{adapter} (disabled), which cuts off no clients"
    assert gone in report.lines("info")


@pytest.mark.parametrize(("adapter", "used"), [("nfs", "1 client and 1 mount"), ("smb", "1 client")])
def test_a_client_protects_its_adapter_from_destroy_until_it_leaves(
    stage: Stage, adapter: str, used: str
) -> None:
    _protect(stage)
    stack, before = stage.world.stack, stage.services()
    [other] = {"nfs", "smb"} - {adapter}

    with _client(stage, adapter):
        for report in (stack.preview_destroy(), stack.destroy()):
            assert report.exit_code == ExitCode.POLICY
            (line,) = report.lines("error")
            assert (
                f"in use: this run would remove media/{adapter} (destroyed), which cuts off {used};" in line
            )
            assert "`dittoinfra:approveRemovals: [media/nfs, media/smb]`" in line
        assert stage.services() == before
        urns = [each["urn"] for each in stack.export()["resources"]]
        [unused] = [urn for urn in urns if urn.endswith(f"media/{other}")]
        assert stack.destroy(RunOptions(targets=(unused,))).ok, "what is deleted is not in use"
        assert set(stage.services()) == {adapter}

    wait_until(lambda: _clients(stage) == [])
    report = stack.destroy()
    assert report.ok, report.errors
    assert stage.services() == {}
    gone = f"media: this run would remove media/{adapter} (destroyed), which cuts off no clients"
    assert gone in report.lines("info")


def test_an_unusable_configuration_does_not_take_the_protection_away(stage: Stage) -> None:
    before = stage.services()
    _protect(stage, adapters="none")

    report = stage.world.stack.destroy()

    assert report.exit_code == ExitCode.CONFIGURATION
    assert "servers[0].adapters" in report.errors[0]
    assert stage.services() == before


def test_who_is_cut_off_is_told_beside_the_brake(stage: Stage) -> None:
    _protect(stage)
    moved = {"namespace": stage.namespace.name + "-elsewhere"}

    with stage.dittofs.nfs_mount():
        _protect(stage, **moved)
        report = stage.world.stack.preview()

    brake, in_use = report.lines("error")
    assert "approveRemovals: [media/nfs, media/smb]" in brake
    assert in_use.startswith("in use: this run would remove media/nfs (moved), which cuts off 1 client")
    assert "media: this run would remove media/smb (moved), which cuts off no clients" in report.lines("info")


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

    wait_until(lambda: _clients(stage) == [])
    report = stage.up()
    assert set(stage.services()) == {"nfs"}
    assert "media: its uploads are drained" in report.lines("info")
