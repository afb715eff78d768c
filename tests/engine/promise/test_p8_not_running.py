"""An adapter that is enabled but not running is an outage, and outages remove nothing."""

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

WARNING = "media: smb is enabled but not running: kept on port 12445; start or disable it on the server"


def test_an_adapter_that_does_not_run_is_kept_for_as_long_as_it_is_enabled(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), absencePolls=2)
    world.up()

    dittofs.set_adapter("smb", port=12445, running=False)
    for _ in range(3):
        report = world.up()
        assert report.lines("warning") == [WARNING]
    world.assert_settled()

    conditions = report.outputs["servers"]["media"]["conditions"]
    assert {(c["type"], c["status"], c["reason"]) for c in conditions} == {
        ("APIReachable", "True", "Answered"),
        ("AdaptersReady", "False", "NotRunning"),
        ("Ready", "False", "NotRunning"),
    }
    dittofs.disable("smb")
    world.up()
    assert set(world.services()) == {"media-adapter-nfs"}


def test_a_port_that_another_adapter_took_over_is_no_nonsense(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()

    dittofs.set_adapter("smb", port=12445, running=False)
    dittofs.set_adapter("nfs", port=12445)
    report = world.up()

    assert report.lines("warning") == [WARNING]
    assert world.port("media-adapter-nfs") == 12445
    assert world.port("media-adapter-smb") == 12445


def test_who_wants_it_gone_can_say_so(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs, notRunning="remove"), absencePolls=2)
    world.up()

    dittofs.set_adapter("smb", port=12445, running=False)
    assert world.up().lines("warning") == ["media: smb is not running, absent 1/2: kept"]
    world.up()
    assert set(world.services()) == {"media-adapter-nfs"}
