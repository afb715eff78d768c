"""Servers that are no longer listed: only complete listings count, and the absence rule applies."""

from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.kubernetes import connect, server_listing
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.discovery.api_proxy import ApiProxy
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import COLD, adapters, count, finding, found_pair
from tests.engine.world import World, simulated_server
from tests.engine.world import world as new_world


def test_a_server_that_goes_is_counted_then_removed_and_the_last_one_needs_a_word(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    found_pair(world, dittofs, server_namespace)

    server_namespace.remove("media")
    report = world.up()
    assert report.changes == Changes(update=2, same=5)
    assert count(server_namespace, "media-adapter-nfs") == "1"
    assert "media: nfs is missing with its server, absent 1/3: kept" in report.lines("warning")
    server_namespace.add("media")
    assert world.up().changes == Changes(update=2, same=5)
    assert count(server_namespace, "media-adapter-nfs") is None, "it came back: counted anew"

    server_namespace.remove("media")
    for _ in range(2):
        assert world.run_changes() == Changes(update=2, same=5)
    assert world.run_changes() == Changes(delete=3, same=4), "the component, its adapters and their Services"
    assert adapters(server_namespace) == {"backup-adapter-nfs", "backup-adapter-smb"}
    world.assert_settled()

    server_namespace.remove("backup")
    for _ in range(2):
        report = world.up()
        assert "serversFrom[0]: selects nothing in the cluster" in report.lines("warning")
    refused = world.stack.up()
    assert refused.exit_code == 5
    assert "which would leave none" in refused.lines("error")[0]
    assert adapters(server_namespace) == {"backup-adapter-nfs", "backup-adapter-smb"}

    finding(world, dittofs, server_namespace, approveRemovals=["backup/nfs", "backup/smb"])
    assert world.up().changes == Changes(delete=3, same=1)
    assert adapters(server_namespace) == set()


def test_a_failed_listing_changes_nothing_and_counts_nothing(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace, proxy: ApiProxy
) -> None:
    selectors = [{"selector": COLD, "adapters": {"service": {"annotations": {"example.com/tier": "cold"}}}}]
    server_namespace.add("media", tier="cold")
    finding(world, dittofs, server_namespace, selectors=selectors)
    world.up()
    server_namespace.remove("media")
    assert world.up().changes == Changes(update=2, same=2)
    assert world.stack.refresh().ok
    before = server_namespace.services()

    proxy.break_listing("statefulsets", 500)
    dittofs.stop()
    for _ in range(3):
        report = world.up()
        assert report.changes == Changes(same=4), "neither removed, nor counted, nor stripped of settings"
    assert any("the listing is not complete" in line for line in report.lines("warning"))
    assert any("media: unreachable" in line for line in report.lines("warning")), "it was asked as usual"
    assert server_namespace.services() == before

    proxy.restore()
    assert world.up().changes == Changes(update=2, same=2)
    assert count(server_namespace, "media-adapter-nfs") == "2", "the count goes on where it was"


def test_a_listing_that_breaks_off_adds_and_takes_nothing_away(
    world: World,
    dittofs: SimulatedDittoFS,
    server_namespace: ServerNamespace,
    proxy: ApiProxy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_listing, "PAGE_SIZE", 2)
    for name in ("b", "c", "d"):
        server_namespace.add(name)
    finding(world, dittofs, server_namespace)
    assert world.up().changes == Changes(create=10)

    server_namespace.add("a")
    proxy.break_listing("statefulsets", 410, later_pages=True)

    report = world.up()
    assert report.changes == Changes(create=3, same=10)
    (gap,) = (line for line in report.lines("warning") if "not complete" in line)
    assert "answered 410 to list statefulsets.apps in namespace" in gap
    assert world.up().changes == Changes(same=13)


def test_a_broken_update_leaves_what_the_next_run_must_know(
    pulumi_cli: PulumiCommand,
    kubernetes_api: KubernetesApi,
    server_namespace: ServerNamespace,
    proxy: ApiProxy,
    tmp_path: Path,
) -> None:
    broken = {"media/nfs"}

    def fail(operation: str, urn: str) -> str | None:
        return "no" if operation == "create" and urn.rpartition("::")[2] in broken else None

    root = tmp_path / "broken"
    root.mkdir()
    server_namespace.add("media", tier="cold")
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        new_world(
            pulumi_cli, root, store=ApiStore(cluster), kubeconfig=proxy.kubeconfig, fail_on=fail
        ) as world,
        simulated_server(world.password) as dittofs,
    ):
        cold = {"selector": COLD, "adapters": {"service": {"type": "ClusterIP"}}}
        finding(world, dittofs, server_namespace, selectors=[cold])
        assert not world.stack.up().ok
        assert adapters(server_namespace) == {"media-adapter-smb"}

        broken.clear()
        proxy.break_listing("statefulsets", 500)
        world.up()

        assert adapters(server_namespace) == {"media-adapter-nfs", "media-adapter-smb"}
        assert {s["spec"]["type"] for s in server_namespace.services().values()} == {"ClusterIP"}
