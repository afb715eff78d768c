"""A Service whose deletion a foreign finalizer holds: said by name, never taken for a living one."""

import time

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import SERVICES
from tests.engine.world import World, server

SMB = f"{SERVICES}/media-adapter-smb"
HOLD = "example.com/hold"


def hold(namespace: Namespace, *finalizers: str) -> None:
    namespace.merge(SMB, {"metadata": {"finalizers": list(finalizers)}})


@pytest.fixture
def held(world: World, namespace: Namespace, dittofs: SimulatedDittoFS) -> World:
    """A stack whose smb Service a foreign finalizer holds."""
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    hold(namespace, HOLD)
    return world


def test_a_removal_ends_within_seconds_with_the_finalizers_name_and_the_next_run_goes_on(
    held: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    dittofs.set_adapter("smb", enabled=False)

    began = time.monotonic()
    report = held.stack.up()

    assert time.monotonic() - began < 120, "the provider alone would wait for ten minutes"
    assert not report.ok
    (error,) = [line for line in report.lines("error") if "timed out" in line]
    assert f"held by the finalizer {HOLD}; see why that does not go, then run again" in error

    hold(namespace)
    held.up()
    held.assert_settled()


def test_one_that_is_enabled_again_while_its_service_dies_is_made_anew(
    held: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    before = namespace.get(SMB)["metadata"]["uid"]
    namespace.delete(SMB)

    preview = held.preview()

    (line,) = [line for line in preview.lines("warning") if "is being deleted" in line]
    assert f"Service media-adapter-smb in namespace {namespace.name} is being deleted, held by {HOLD}" in line
    hold(namespace)
    # The state still holds it, and the cluster no longer does.
    assert any("was deleted in the cluster" in line for line in held.preview().lines("warning"))
    assert held.stack.refresh().ok
    held.up()
    assert namespace.get(SMB)["metadata"]["uid"] != before
    held.assert_settled()
