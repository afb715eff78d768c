"""A declared field that was edited by hand is set back, and blocks no run."""

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import SERVICES, identities
from tests.engine.world import World, server

NFS = f"{SERVICES}/media-adapter-nfs"


def target(namespace: Namespace) -> int:
    return int(namespace.get(NFS)["spec"]["ports"][0]["targetPort"])


@pytest.mark.parametrize("manager", ["kubectl-edit", "lens", "kubectl-patch"])
def test_an_update_goes_through_after_a_hand_edit_by_any_manager(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, manager: str
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    before = identities(namespace)
    wrong = [{"name": "adapter-nfs", "port": 12049, "protocol": "TCP", "targetPort": 1}]
    namespace.merge(NFS, {"spec": {"ports": wrong}}, manager)

    noted = {"service": {"annotations": {"example.com/a": "b"}}}
    world.configure(server(dittofs, namespace=namespace.name, adapters=noted))
    assert world.preview().changes.update
    world.up()

    assert target(namespace) == 12049
    assert identities(namespace)["media-adapter-nfs"]["uid"] == before["media-adapter-nfs"]["uid"]
    world.assert_settled()


@pytest.mark.parametrize("manager", ["kubectl-edit", "lens"])
def test_a_port_moves_although_its_service_was_edited(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, manager: str
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.merge(NFS, {"metadata": {"labels": {"app": "other"}}}, manager)

    dittofs.set_adapter("nfs", port=12050)
    assert world.preview().changes.update
    world.up()

    live = namespace.get(NFS)
    assert live["metadata"]["labels"]["app"] == "dittofs-server"
    assert target(namespace) == 12050
    world.assert_settled()


def test_a_port_of_others_in_front_of_ours_is_no_change(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace=namespace.name, adapters={"service": {"type": "NodePort"}}))
    world.up()
    theirs = {"name": "theirs", "port": 9, "protocol": "TCP"}
    namespace.merge(NFS, {"spec": {"ports": [*namespace.get(NFS)["spec"]["ports"], theirs]}}, "lens")
    dittofs.set_adapter("nfs", port=12050)

    updated = world.up()

    first, ours = namespace.get(NFS)["spec"]["ports"]
    assert (first["name"], ours["port"]) == ("theirs", 12050), "Kubernetes puts the moved port last"
    world.assert_settled()
    endpoints = updated.outputs["servers"]["media"]["adapters"]["nfs"]["endpoints"]
    assert endpoints["nodePort"] == ours["nodePort"]
