"""A server whose adapter cannot be named is not believed, and every other server goes on."""

from collections.abc import Iterator

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

LONG = "x" * 63
DNS = {"service": {"dns": {"hostname": "{server}-{type}.example.com"}}}


@pytest.fixture
def other(world: World) -> Iterator[SimulatedDittoFS]:
    """A second server, with nfs alone."""
    with SimulatedDittoFS(admin_password=world.password) as simulated:
        simulated.set_adapter("nfs", port=2049)
        yield simulated


@pytest.mark.parametrize("adapters", [{}, DNS], ids=["plain", "with names"])
def test_a_type_of_63_characters_stops_no_other_server(
    world: World, dittofs: SimulatedDittoFS, other: SimulatedDittoFS, adapters: dict[str, object]
) -> None:
    world.configure(server(dittofs), server(other, "other"), adapters=adapters)
    world.up()

    dittofs.set_adapter(LONG, port=999)
    other.set_adapter("smb", port=445)
    report = world.up()

    assert {"media-adapter-nfs", "media-adapter-smb", "other-adapter-smb"} < set(world.services())
    told = [line for line in report.lines("warning") if line.startswith("media: nonsense: ")]
    assert len(told) == bool(adapters)
    assert all("cannot be named" in line and "2 remembered adapters kept as is" in line for line in told)


def test_the_name_of_another_servers_service_stops_no_other_server(
    world: World, dittofs: SimulatedDittoFS, other: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), server(other, "media-adapter-x"))
    world.up()

    dittofs.set_adapter("x-adapter-nfs", port=999)
    other.set_adapter("smb", port=445)
    report = world.up()

    assert "media-adapter-x-adapter-smb" in world.services()
    assert world.port("media-adapter-x-adapter-nfs") == 2049
    (line,) = report.lines("warning")
    assert line.startswith("media: nonsense: adapter type 'x-adapter-nfs' cannot be named: ")
    assert line.endswith("is that of media-adapter-x/nfs; 2 remembered adapters kept as is")
