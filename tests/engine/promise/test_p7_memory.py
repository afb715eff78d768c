"""An adapter is remembered by its server's component: it may lose its Service, and is not forgotten."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server
from tests.engine.world import world as new_world


def _silent(stack: World, dittofs: SimulatedDittoFS) -> list[str]:
    """What the run after an outage declares."""
    dittofs.outage()
    stack.up()
    return sorted(stack.services())


def test_an_adapter_whose_service_failed_to_be_created_is_not_forgotten(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    broken = True

    def fail(operation: str, urn: str) -> str | None:
        return "no quota left" if broken and operation == "create" and urn.endswith("media/smb") else None

    with (
        new_world(pulumi_cli, tmp_path, fail_on=fail) as stack,
        SimulatedDittoFS(admin_password=stack.password) as dittofs,
    ):
        dittofs.disable("nfs")
        dittofs.set_adapter("smb", port=12445)
        stack.configure(server(dittofs))
        assert not stack.stack.up().ok
        assert stack.services() == {}

        broken = False
        assert _silent(stack, dittofs) == ["media-adapter-smb"]
        assert stack.port("media-adapter-smb") == 12445


def test_an_adapter_whose_service_a_refresh_dropped_is_not_forgotten(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()

    (lost,) = world.manifests.rglob("service-media-adapter-smb.yaml")
    lost.unlink()
    assert world.stack.refresh().ok

    assert _silent(world, dittofs) == ["media-adapter-nfs", "media-adapter-smb"]
    assert world.port("media-adapter-smb") == 12445


def test_an_absence_goes_on_from_where_it_was_whatever_became_of_the_service(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()
    dittofs.remove_adapter("smb")
    world.up()

    (lost,) = world.manifests.rglob("service-media-adapter-smb.yaml")
    lost.unlink()
    assert world.stack.refresh().ok

    assert "media: smb is missing from the answer, absent 2/3: kept" in world.up().lines("warning")
