"""Runs without a usable answer, beyond the faults of tests/chaos/faults: none of them decides anything."""

from dittoinfra.changes import Changes
from lab.simulator import SimulatedDittoFS
from tests.engine.world import CREDENTIALS, World, server


def test_an_outage_leaves_the_count_where_it_was(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))
    world.up()
    dittofs.remove_adapter("smb")
    world.up()
    world.up()
    counted = world.services()
    assert counted["media-adapter-smb"]["metadata"]["annotations"]["dittofs.io/absence-count"] == "2"

    dittofs.outage()

    assert world.up().changes == Changes(same=4)
    assert world.services() == counted
    dittofs.normal()
    assert world.up().changes == Changes(delete=1, same=3), "the third answer that misses it"


def test_a_server_that_never_answered_gets_its_infrastructure_and_no_adapters(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    dittofs.stop()
    storage = {"content": {"size": "1Gi"}}
    world.configure(server(dittofs, deploy={"credentials": CREDENTIALS, "storage": storage}))

    report = world.up()

    assert set(world.services()) == {"media-headless", "media-api"}
    assert (world.manifests / "files" / "statefulset-media.yaml").exists()
    (line,) = report.lines("warning")
    assert line.endswith("no adapters are known yet, so none are declared")
    conditions = {c["type"]: c for c in report.outputs["servers"]["media"]["conditions"]}
    assert conditions["APIReachable"]["reason"] == "Unreachable"
    assert conditions["AdaptersReady"]["reason"] == "Bootstrap"
    world.assert_settled()

    dittofs.start()
    assert world.up().ok
    assert {"media-adapter-nfs", "media-adapter-smb"} <= set(world.services())


def test_an_empty_answer_is_an_answer_and_no_bootstrap(world: World, dittofs: SimulatedDittoFS) -> None:
    dittofs.remove_adapter("nfs")
    dittofs.remove_adapter("smb")
    world.configure(server(dittofs))

    report = world.up()

    conditions = {c["type"]: c for c in report.outputs["servers"]["media"]["conditions"]}
    assert conditions["APIReachable"]["status"] == "True"
    assert not report.lines("warning")


def test_one_server_that_is_down_does_not_spoil_another(world: World, dittofs: SimulatedDittoFS) -> None:
    with SimulatedDittoFS(admin_password=world.password) as other:
        world.configure(server(dittofs, "media"), server(other, "archive"))
        world.up()

        other.stop()
        dittofs.set_adapter("nfs", port=12050)
        report = world.up()

    assert report.changes == Changes(update=1, same=6)
    assert world.port("media-adapter-nfs") == 12050
    assert {"archive-adapter-nfs", "archive-adapter-smb"} <= set(world.services())


def test_on_unreachable_fail_stops_the_run_before_anything_is_declared(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), onUnreachable="fail")
    world.up()
    before = world.services()

    dittofs.stop()
    report = world.stack.up()

    assert report.exit_code == 1
    (line,) = report.lines("error")
    assert line.startswith("media: unreachable: ")
    assert line.endswith(
        "refused, because onUnreachable is fail (`onUnreachable: keep` goes on without its answer)"
    )
    assert world.services() == before
