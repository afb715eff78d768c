"""A stack of an earlier version is migrated to the smaller tree without changes in its cluster."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.reports.events import Event, EventWriter
from dittoinfra.stacks.result import RunReport
from dittoinfra.watch.stack_watch import done_removals
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace, identity
from tests.engine.runs.former_tree import make_former, urns
from tests.engine.world import CREDENTIALS, World, server, world_on
from tests.engine.world import world as new_world

WITH_EVERYTHING: dict[str, Any] = {
    "deploy": {"credentials": CREDENTIALS},
    "networkPolicy": {"mode": "defaultDeny"},
    "adapters": {
        "service": {
            "preset": "operator",
            "splitUdp": True,
            "dns": {"hostname": "{type}.{server}.example.com", "ip": "192.0.2.7"},
        }
    },
}
RESOURCES = 14
"""The stack and the server; two Services and a policy of each adapter; the API's and the headless Service;
two more policies, the ConfigMap and the StatefulSet.
"""


class Asked(list[str]):
    """What the engine had the provider do."""

    def hear(self, operation: str, urn: str) -> None:
        if operation != "read":
            self.append(f"{operation} {urn.rpartition('::')[2]}")


class Told(list[Event]):
    """Events of the runs."""

    def begin(self, stack: str) -> None:
        del stack

    def write(self, event: Event) -> None:
        self.append(event)


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def world(pulumi_cli: PulumiCommand, tmp_path: Path, asked: Asked) -> Iterator[World]:
    with new_world(pulumi_cli, tmp_path, fail_on=asked.hear) as fresh:
        yield fresh


def contents(world: World) -> dict[str, str]:
    return {str(path.relative_to(world.root)): path.read_text() for path in world.manifests.rglob("*.yaml")}


def assert_nothing_is_said_to_go(report: RunReport) -> None:
    assert report.steps == ()
    assert report.decided is not None
    assert report.decided.decision.adapters.removals == ()
    assert list(done_removals(report)) == []


def test_everything_of_a_server_moves_and_nothing_is_made_changed_or_removed(
    world: World, dittofs: SimulatedDittoFS, asked: Asked
) -> None:
    told = Told()
    world.configure(server(dittofs, **WITH_EVERYTHING))
    world.up()
    tree, manifests, notes = urns(world), contents(world), world.up().lines("info")
    make_former(world)
    assert len(urns(world)) == len(tree) + 3, "two adapters and a headless Service had components"
    assert len(set(urns(world)) - set(tree)) == 3 + 7, "and were in them"
    asked.clear()

    world.stack.on_event = EventWriter(told, previews=True).listen("world")
    foretold, done = world.preview(), world.up()

    assert foretold.changes == done.changes == Changes(same=RESOURCES)
    for report in (foretold, done):
        assert_nothing_is_said_to_go(report)
        assert report.lines("info") == notes, "names that were told are not told again"
    assert asked == []
    assert told == []
    assert contents(world) == manifests
    assert urns(world) == tree, "the components are gone from the state"
    world.assert_settled()
    assert world.up().changes == Changes(same=RESOURCES)


def test_the_first_run_over_may_be_one_without_an_answer(
    world: World, dittofs: SimulatedDittoFS, asked: Asked
) -> None:
    world.configure(server(dittofs))
    world.up()
    tree = urns(world)
    make_former(world)
    asked.clear()

    dittofs.outage()
    assert world.run_changes() == Changes(same=4)
    assert asked == []
    assert urns(world) == tree


def test_a_removal_in_the_first_run_is_one_and_so_is_an_absence(
    world: World, dittofs: SimulatedDittoFS, asked: Asked
) -> None:
    world.configure(server(dittofs))
    world.up()
    make_former(world)
    asked.clear()

    dittofs.disable("smb")
    dittofs.remove_adapter("nfs")
    report = world.up()

    assert report.changes == Changes(update=1, delete=1, same=2)
    assert [(step.operation, step.name, step.server) for step in report.steps] == [
        ("update", "media/nfs", "media"),
        ("delete", "media/smb", "media"),
    ]
    assert [line for _, line in done_removals(report)] == ["removed media/smb (disabled)"]
    assert asked == ["update media/nfs", "delete media/smb"]


def test_a_state_that_has_not_gone_over_is_refreshed_and_destroyed(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()
    make_former(world)

    refreshed = world.stack.refresh()
    assert refreshed.ok
    assert refreshed.steps == ()

    destroyed = world.stack.destroy()
    assert destroyed.ok
    assert destroyed.changes.delete == 4, "the stack, the server and two Services"
    assert {step.name for step in destroyed.steps if step.server == "media"} == {
        "media",
        "media/nfs",
        "media/smb",
    }
    assert world.services() == {}


def test_services_of_a_real_api_keep_their_identity(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> None:
    with (
        kubernetes_api.client() as client,
        world_on(kubernetes_api, pulumi_cli, tmp_path, kubernetes_api.kubeconfig) as world,
        SimulatedDittoFS(admin_password=world.password) as dittofs,
    ):
        namespace = Namespace(kubernetes_api.namespace(), client)
        dittofs.set_adapter("nfs", port=12049)
        world.configure(server(dittofs, namespace=namespace.name, **WITH_EVERYTHING))
        world.up()
        make_former(world)
        before = {name: identity(service) for name, service in namespace.services().items()}
        versions = json.dumps([s["metadata"]["resourceVersion"] for s in namespace.services().values()])

        assert not world.run_changes().any

        assert {name: identity(service) for name, service in namespace.services().items()} == before
        assert versions == json.dumps(
            [s["metadata"]["resourceVersion"] for s in namespace.services().values()]
        ), "they were not written to"
        world.assert_settled()
