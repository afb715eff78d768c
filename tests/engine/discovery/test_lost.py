"""Servers that are gone, or seem to be: counted by complete listings alone, and removed by the same rule."""

from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.kubernetes import connect, server_listing
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.discovery.between import Between
from tests.engine.discovery.place import Place
from tests.engine.discovery.stack import COLD, adapters, count, finding
from tests.engine.world import World
from tests.engine.world import world as new_world


def test_a_server_that_goes_is_counted_then_removed_and_the_last_one_needs_a_word(
    world: World, dittofs: SimulatedDittoFS, place: Place
) -> None:
    place.add("media")
    place.add("backup")
    finding(world, dittofs, place)
    world.up()

    place.remove("media")
    report = world.up()
    assert report.changes == Changes(update=2, same=5)
    assert count(place, "media-adapter-nfs") == "1"
    assert "media: nfs is missing with its server, absent 1/3: kept" in report.lines("warning")
    place.add("media")
    assert world.up().changes == Changes(update=2, same=5)
    assert count(place, "media-adapter-nfs") is None, "it came back: counted anew"

    place.remove("media")
    for _ in range(2):
        assert world.run_changes() == Changes(update=2, same=5)
    assert world.run_changes() == Changes(delete=3, same=4), "the component, its adapters and their Services"
    assert adapters(place) == {"backup-adapter-nfs", "backup-adapter-smb"}
    world.assert_settled()

    place.remove("backup")
    for _ in range(2):
        report = world.up()
        assert "serversFrom[0]: selects nothing in the cluster" in report.lines("warning")
    refused = world.stack.up()
    assert refused.exit_code == 5
    assert "which would leave the stack without any" in refused.lines("error")[0]
    assert adapters(place) == {"backup-adapter-nfs", "backup-adapter-smb"}

    finding(world, dittofs, place, approveRemovals=["backup/nfs", "backup/smb"])
    assert world.up().changes == Changes(delete=3, same=1)
    assert adapters(place) == set()


def test_a_failed_listing_changes_nothing_and_counts_nothing(
    world: World, dittofs: SimulatedDittoFS, place: Place, between: Between
) -> None:
    selectors = [{"selector": COLD, "adapters": {"service": {"annotations": {"example.com/tier": "cold"}}}}]
    place.add("media", tier="cold")
    finding(world, dittofs, place, selectors=selectors)
    world.up()
    place.remove("media")
    assert world.up().changes == Changes(update=2, same=2)
    assert world.stack.refresh().ok
    before = place.services()

    between.breaks("statefulsets", 500)
    dittofs.stop()
    for _ in range(3):
        report = world.up()
        assert report.changes == Changes(same=4), "neither removed, nor counted, nor stripped of settings"
    assert any("the listing is not complete" in line for line in report.lines("warning"))
    assert any("media: unreachable" in line for line in report.lines("warning")), "it was asked as usual"
    assert place.services() == before

    between.heals()
    assert world.up().changes == Changes(update=2, same=2)
    assert count(place, "media-adapter-nfs") == "2", "the count goes on where it was"


def test_a_listing_that_breaks_off_adds_and_takes_nothing_away(
    world: World,
    dittofs: SimulatedDittoFS,
    place: Place,
    between: Between,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_listing, "PAGE_SIZE", 2)
    for name in ("b", "c", "d"):
        place.add(name)
    finding(world, dittofs, place)
    assert world.up().changes == Changes(create=10)

    place.add("a")
    between.breaks("statefulsets", 410, later_pages=True)

    report = world.up()
    assert report.changes == Changes(create=3, same=10)
    (gap,) = (line for line in report.lines("warning") if "not complete" in line)
    assert "answered 410 to list statefulsets.apps in namespace" in gap
    assert world.up().changes == Changes(same=13)


def test_a_broken_update_leaves_what_the_next_run_must_know(
    pulumi_cli: PulumiCommand,
    kubernetes_api: KubernetesApi,
    place: Place,
    between: Between,
    tmp_path: Path,
) -> None:
    broken = {"media/nfs"}

    def fail(operation: str, urn: str) -> str | None:
        return "no" if operation == "create" and urn.rpartition("::")[2] in broken else None

    root = tmp_path / "broken"
    root.mkdir()
    place.add("media", tier="cold")
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        new_world(
            pulumi_cli, root, store=ApiStore(cluster), kubeconfig=between.kubeconfig, fail_on=fail
        ) as world,
        SimulatedDittoFS(admin_password=world.password) as dittofs,
    ):
        dittofs.set_adapter("nfs", port=12049)
        dittofs.set_adapter("smb", port=12445)
        cold = {"selector": COLD, "adapters": {"service": {"type": "ClusterIP"}}}
        finding(world, dittofs, place, selectors=[cold])
        assert not world.stack.up().ok
        assert adapters(place) == {"media-adapter-smb"}

        broken.clear()
        between.breaks("statefulsets", 500)
        world.up()

        assert adapters(place) == {"media-adapter-nfs", "media-adapter-smb"}
        assert {s["spec"]["type"] for s in place.services().values()} == {"ClusterIP"}
