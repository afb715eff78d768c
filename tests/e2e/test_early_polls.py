"""Polls are on their way while the engine reads the state: waiting for one hides the other."""

from collections.abc import Collection, Sequence

from dittoinfra.memory import Memory
from dittoinfra.program import LiveInquiry
from dittoinfra.program.inquiry import Asking
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.simulator import SimulatedDittoFS
from tests.e2e.world import World, server


def test_servers_that_the_stack_names_are_asked_once_and_before_its_state_is_read(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    # given a stack that knows its servers, and somebody who takes note of what happens in which order
    happened: list[str] = []

    class Noting(LiveInquiry):
        def ask(
            self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]
        ) -> Asking:
            happened.append("asked")
            return super().ask(stack, servers, found)

    def remembered(memory: Memory) -> Memory:
        happened.append("remembered")
        return memory

    world.configure(server(dittofs))
    world.stack.inquiry = Noting(world.root, world.stack.environment)
    world.stack.recall = remembered

    # when it is updated
    world.up()

    # then nobody waited for the state before asking, and what was answered is declared
    assert happened == ["asked", "remembered"]
    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}
