"""`render --out` remembers found servers as `up` does: a listing that fails removes no manifest."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from lab.simulator import SimulatedDittoFS
from tests import ROOT
from tests.engine.cli.fleet_bed import PROGRAM, TIMEOUT
from tests.engine.discovery.api_proxy import ApiProxy
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import COLD, finding
from tests.engine.world import STACK, World

TIERED = [{"selector": COLD, "adapters": {"service": {"annotations": {"example.com/tier": "cold"}}}}]


def render(world: World, folder: str = "deploy", exit_code: int = 0) -> str:
    """One rendering into a folder; what it warned of."""
    path = str(Path(world.command.command).parent)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "render", STACK, "--out", folder],
        cwd=world.root,
        env={
            "PYTHONPATH": str(ROOT),
            **world.stack.environment,
            "PATH": path,
        },
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == exit_code, done.stderr
    return done.stderr


def manifests(world: World) -> Mapping[str, str]:
    """Every manifest and its text, by its name."""
    return {file.name: file.read_text() for file in sorted((world.root / "deploy").rglob("*.yaml"))}


def test_a_listing_that_fails_changes_no_manifest(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace, proxy: ApiProxy
) -> None:
    server_namespace.add("media", tier="cold")
    server_namespace.add("backup")
    finding(world, dittofs, server_namespace, selectors=TIERED)
    render(world)
    before = manifests(world)
    assert len(before) == 4
    assert "example.com/tier: cold" in before["service-media-adapter-nfs.yaml"]

    proxy.break_listing("statefulsets", 500)
    dittofs.stop()
    said = render(world)

    assert manifests(world) == before, "neither removed, nor stripped of settings that labels chose"
    assert "the listing is not complete" in said


def test_a_listing_that_fails_makes_no_new_folder_from_nothing(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace, proxy: ApiProxy
) -> None:
    server_namespace.add("media")
    finding(world, dittofs, server_namespace)
    proxy.break_listing("statefulsets", 500)

    said = render(world, "fresh", exit_code=1)

    (line,) = (line for line in said.splitlines() if line.startswith("error: "))
    assert line.startswith("error: serversFrom[0]: the listing is not complete (")
    assert line.endswith("render into the folder of last time, or run again once the cluster lists them")
    assert not (world.root / "fresh").exists()

    proxy.restore()
    world.up()
    proxy.break_listing("statefulsets", 500)
    render(world, "fresh")
    assert len([*(world.root / "fresh").rglob("service-media-adapter-*.yaml")]) == 2, "the state remembers it"


def test_a_found_server_that_is_gone_is_counted_in_the_folder_before_it_goes(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    server_namespace.add("backup")
    finding(world, dittofs, server_namespace)
    render(world)
    both = set(manifests(world))

    server_namespace.remove("media")
    for count in (1, 2):
        render(world)
        assert set(manifests(world)) == both
        assert f"absence-count: '{count}'" in manifests(world)["service-media-adapter-nfs.yaml"]
    render(world)

    assert set(manifests(world)) == {"service-backup-adapter-nfs.yaml", "service-backup-adapter-smb.yaml"}


def test_a_deleted_manifest_is_no_forgotten_adapter(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    finding(world, dittofs, server_namespace)
    render(world)
    before = manifests(world)

    next((world.root / "deploy").rglob("service-media-adapter-smb.yaml")).unlink()
    dittofs.stop()
    render(world)

    assert manifests(world) == before
