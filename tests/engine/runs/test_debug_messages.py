"""The SDK's debug messages cost a round trip each, and are never shown."""

from pulumi.automation import EngineEvent

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server


def test_a_run_sends_no_debug_messages_to_the_engine(world: World, dittofs: SimulatedDittoFS) -> None:
    said: list[EngineEvent] = []
    world.configure(server(dittofs))
    world.stack.on_event = lambda event, _: said.append(event)

    world.up()

    severities = [event.diagnostic_event.severity for event in said if event.diagnostic_event]
    assert "debug" not in severities
