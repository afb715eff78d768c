"""What was edited in the cluster is noticed, said and put right by the next `dittoinfra up`."""

import pytest

from dittoinfra.request import Operation
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import SERVICES
from tests.engine.provider.test_o6_deleted_by_hand import Heard, work
from tests.engine.world import World, server

NFS = f"{SERVICES}/media-adapter-nfs"


def edited(namespace: Namespace, manager: str) -> str:
    return (
        f"media: Service media-adapter-nfs in namespace {namespace.name} was edited in the cluster by "
        f"{manager} (spec.ports[adapter-nfs].targetPort): `dittoinfra up` puts it back, and so does "
        "`pulumi up --refresh`"
    )


@pytest.mark.parametrize("manager", ["kubectl-edit", "lens"])
def test_up_puts_a_declared_field_back(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, manager: str
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    ports = [{**port, "targetPort": 1} for port in namespace.get(NFS)["spec"]["ports"]]
    namespace.merge(NFS, {"spec": {"ports": ports}}, manager)
    assert edited(namespace, manager) in world.preview().lines("warning"), "plain pulumi names the command"
    heard = Heard()

    up = work(world, Operation.UP, heard)
    foreseen = up.preview().report
    assert [(step.operation, step.name) for step in foreseen.steps if step.object] == [
        ("update", "media/nfs")
    ]
    assert up.run().report.ok

    assert [port["targetPort"] for port in namespace.get(NFS)["spec"]["ports"]] == [12049]
    # Preview and update say the same, which a screen shows once.
    assert {line.text for line in heard.lines if line.severity == "warning"} == {edited(namespace, manager)}
    again = world.preview()
    assert not again.changes.any
    assert not again.lines("warning")


def test_what_is_put_back_by_hand_is_left_in_peace(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.merge(NFS, {"metadata": {"labels": {"instance": "theirs"}}}, "kubectl-label")
    namespace.merge(NFS, {"metadata": {"labels": {"instance": "media"}}}, "kubectl-label")

    assert not world.preview().lines("warning")
