"""A namespace that is not there is said at preview, at once."""

import time

from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.provider.test_foreign_objects import PINNED, refusal
from tests.engine.world import World

AT_ONCE = 30
"""Seconds; the provider alone would try for more than sixty."""


def test_a_missing_namespace_stops_preview_and_update_at_once(world: World) -> None:
    world.configure({"name": "media", "namespace": "not-there", "adapters": PINNED})

    began = time.monotonic()
    said = [refusal(world.stack.preview()), refusal(world.stack.up())]

    assert time.monotonic() - began < AT_ONCE
    assert said == ["media: namespace not-there does not exist; `kubectl create namespace not-there`"] * 2


def test_a_stack_that_creates_the_namespace_goes_on(world: World, namespace: Namespace) -> None:
    name = f"{namespace.name}-made"
    world.configure(media(name, deploy={"createNamespace": True}, adapters=PINNED))

    world.up()

    world.assert_settled()
