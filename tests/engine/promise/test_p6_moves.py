"""No edit of the configuration takes the address of an adapter without approval."""

import pytest

from dittoinfra.exitcodes import ExitCode
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.workload import media
from tests.engine.world import World, server


@pytest.mark.parametrize("answers", [True, False], ids=["answering", "silent"])
def test_a_namespace_that_changes_in_the_configuration_needs_approval(
    world: World, dittofs: SimulatedDittoFS, answers: bool
) -> None:
    world.configure(server(dittofs, namespace="old"))
    world.up()
    if not answers:
        dittofs.outage()
    before = world.services()

    world.configure(server(dittofs, namespace="new"))
    report = world.stack.up()

    assert report.exit_code == ExitCode.POLICY
    (line,) = report.lines("error")
    assert "media/nfs (moved), media/smb (moved); moved means replaced by a Service in another" in line
    assert line.endswith("`dittoinfra:approveRemovals: [media/nfs, media/smb]`")
    assert world.services() == before


def test_an_approved_move_is_made_and_the_approval_must_name_every_adapter(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace="old"))
    world.up()

    world.configure(server(dittofs, namespace="new"), approveRemovals=["media/nfs"])
    assert world.stack.up().exit_code == ExitCode.POLICY

    world.configure(server(dittofs, namespace="new"), approveRemovals=["media/nfs", "media/smb"])
    report = world.up()

    assert {s["metadata"]["namespace"] for s in world.services().values()} == {"new"}
    assert "media: nfs moves to another namespace: its Service is replaced" in report.lines("warning")
    world.configure(server(dittofs, namespace="new"))
    world.assert_settled()


def test_the_namespace_of_the_whole_stack_is_no_way_around(world: World, dittofs: SimulatedDittoFS) -> None:
    media = {key: value for key, value in server(dittofs).items() if key != "namespace"}
    world.configure(media, namespace="old")
    world.up()

    world.configure(media, namespace="new")

    assert world.stack.preview().exit_code == ExitCode.POLICY


def test_another_name_in_the_configuration_needs_approval(world: World, dittofs: SimulatedDittoFS) -> None:
    with SimulatedDittoFS(admin_password=world.password) as other:
        world.configure(server(dittofs), server(other, "home"))
        world.up()
        before = world.services()

        world.configure(server(dittofs, "films"), server(other, "home"))
        report = world.stack.up()

        assert report.exit_code == ExitCode.POLICY
        (line,) = report.lines("error")
        assert "media/nfs (renamed), media/smb (renamed); renamed means that its server is not" in line
        assert world.services() == before

        world.configure(
            server(dittofs, "films"),
            server(other, "home"),
            approveRemovals=["media/nfs", "media/smb"],
        )
        world.up()
        assert "films-adapter-nfs" in world.services()
        assert "media-adapter-nfs" not in world.services()


@pytest.mark.parametrize("refreshed", [False, True], ids=["as declared", "after its deletion by hand"])
def test_a_deployed_server_that_never_answered_does_not_go_with_a_line_of_configuration(
    world: World, dittofs: SimulatedDittoFS, refreshed: bool
) -> None:
    world.configure(media(deploy={}), server(dittofs, "home"))
    world.up()
    stateful_set = world.manifests / "files" / "statefulset-media.yaml"
    if refreshed:
        stateful_set.unlink()
        assert world.stack.refresh().ok
    before = world.services()
    assert "media-api" in before

    for edit in ([server(dittofs, "home")], [server(dittofs, "home"), server(dittofs, "films")]):
        world.configure(*edit)
        report = world.stack.up()
        assert report.exit_code == ExitCode.POLICY
        (line,) = report.lines("error")
        assert line.startswith("media: it is not configured any more, so this run would delete its Stateful")
        assert line.endswith("approve exactly these: `dittoinfra:approveRemovals: [media/deploy]`")
        assert world.services() == before

    world.configure(server(dittofs, "home"), approveRemovals=["media/deploy"])
    world.up()
    assert "media-api" not in world.services()
    assert not stateful_set.exists()


def test_the_second_service_of_udp_ports_does_not_go_with_an_edit(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    smb = {"extras": {"wsDiscovery": True}}
    world.configure(server(dittofs, adapters={"types": {"smb": {**smb, "splitUdp": True}}}))
    world.up()
    before = world.services()
    assert "media-adapter-smb-udp" in before

    world.configure(server(dittofs, adapters={"types": {"smb": smb}}))
    report = world.stack.up()

    assert report.exit_code == ExitCode.POLICY
    (line,) = report.lines("error")
    assert "media/smb (unsplit); unsplit means that the Service of its UDP ports is removed" in line
    assert world.services() == before

    world.configure(server(dittofs, adapters={"types": {"smb": smb}}), approveRemovals=["media/smb"])
    world.up()
    assert "media-adapter-smb-udp" not in world.services()
    world.configure(server(dittofs, adapters={"types": {"smb": smb}}))
    world.assert_settled()
