"""The brake: it refuses, says exactly what it wants to hear, and lets that through."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server


@pytest.fixture
def fleet(world: World) -> Iterator[list[SimulatedDittoFS]]:
    """Five servers with two adapters each: ten in all, where the brake begins."""
    with ExitStack() as running:
        yield [running.enter_context(SimulatedDittoFS(admin_password=world.password)) for _ in range(5)]


def test_too_many_removals_are_refused_then_approved(world: World, fleet: list[SimulatedDittoFS]) -> None:
    servers = [server(simulated, f"s{index}") for index, simulated in enumerate(fleet)]
    world.configure(*servers)
    world.up()
    before = world.services()
    for simulated in fleet[:4]:
        simulated.disable("smb")

    refused = world.stack.up()

    assert refused.exit_code == 5
    (line,) = refused.lines("error")
    assert "would remove 4 of 10 adapters (40 %, limit 30 % from 10 adapters on)" in line
    assert "approveRemovals: [s0/smb, s1/smb, s2/smb, s3/smb]" in line
    assert world.services() == before

    world.configure(*servers, approveRemovals=["s0/smb", "s1/smb", "s2/smb"])
    assert world.stack.preview().exit_code == 5, "an approval that does not name them all is none"

    world.configure(*servers, approveRemovals=[f"s{index}/smb" for index in range(4)])
    assert world.run_changes().delete == 4
    assert len(world.services()) == 6

    report = world.preview()
    assert not report.changes.any
    assert "the removal of s0/smb is approved, but nothing removes it" in report.lines("warning")[0]


def test_three_of_ten_pass(world: World, fleet: list[SimulatedDittoFS]) -> None:
    world.configure(*[server(simulated, f"s{index}") for index, simulated in enumerate(fleet)])
    world.up()
    for simulated in fleet[:3]:
        simulated.disable("smb")

    assert world.run_changes().delete == 3


def test_absence_never_takes_the_last_adapter_unasked(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs), absencePolls=1)
    world.up()
    dittofs.remove_adapter("nfs")
    dittofs.remove_adapter("smb")

    refused = world.stack.up()

    assert refused.exit_code == 5
    assert "which would leave none" in refused.lines("error")[0]
    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}

    world.configure(server(dittofs), absencePolls=1, approveRemovals=["media/nfs", "media/smb"])
    world.up()
    assert world.services() == {}


def test_disabling_takes_the_last_adapter_without_a_word(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))
    world.up()
    dittofs.disable("nfs")
    dittofs.disable("smb")

    assert world.run_changes().delete == 2
