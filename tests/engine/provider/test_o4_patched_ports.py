"""Ports that are added to a StatefulSet made by others: settled, moved in place, and nothing left behind."""

from typing import Any

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import STATEFUL_SETS, container_ports, pod_template
from tests.engine.world import World, server

THEIRS = {"name": "api", "containerPort": 8080, "protocol": "TCP"}


def stateful_set(*ports: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": "dittofs-server", "instance": "media"}
    container = {"name": "dittofs", "image": "theirs:1", "ports": list(ports)}
    return {
        "metadata": {"name": "media", "labels": {"owner": "them"}},
        "spec": {
            "serviceName": "media",
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def seen(namespace: Namespace) -> dict[str, Any]:
    """All of the StatefulSet that its maker would recognise."""
    live = namespace.get(f"{STATEFUL_SETS}/media")
    metadata = {key: live["metadata"].get(key) for key in ("uid", "labels", "annotations")}
    return {"metadata": metadata, "template": live["spec"]["template"]}


def test_patched_ports_settle_move_and_leave_nothing_behind(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    namespace.create(STATEFUL_SETS, stateful_set(THEIRS))
    before = seen(namespace)
    world.configure(server(dittofs, namespace=namespace.name, patchPorts=True))

    world.up()
    assert container_ports(namespace) == {"api": 8080, "adapter-nfs": 12049, "adapter-smb": 12445}
    world.assert_settled()
    assert world.stack.refresh().ok
    world.assert_settled()

    template = pod_template(namespace)
    dittofs.set_adapter("nfs", port=12050)
    assert world.preview().changes.update
    assert not world.up().changes.replace
    assert container_ports(namespace) == {"api": 8080, "adapter-nfs": 12050, "adapter-smb": 12445}
    assert pod_template(namespace) == template + 1
    world.assert_settled()

    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    assert seen(namespace) == before


@pytest.mark.parametrize("name", ["nfs", "data"])
def test_a_port_that_the_container_has_already_is_left_to_its_maker(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, name: str
) -> None:
    own = {"name": name, "containerPort": 12049, "protocol": "TCP"}
    namespace.create(STATEFUL_SETS, stateful_set(THEIRS, own))
    before = seen(namespace)
    world.configure(server(dittofs, namespace=namespace.name, patchPorts=True))

    world.preview()
    world.up()
    assert container_ports(namespace) == {"api": 8080, name: 12049, "adapter-smb": 12445}
    world.assert_settled()

    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    assert seen(namespace) == before
