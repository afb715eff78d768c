"""The whole lifecycle of a stack that deploys its server, with cloud controllers that edit its Services."""

from dittoinfra.changes import Changes
from lab.bed.process import free_ports
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import ServerOptions
from tests.engine.namespace import identity
from tests.engine.world import CREDENTIALS

STATIC = {"media-headless", "media-api"}
"""Services that no adapter decides about."""


def test_the_life_of_a_stack(set_stage: SetStage) -> None:
    stage = set_stage(ServerOptions())
    world, dfs, namespace = stage.world, stage.dittofs, stage.namespace
    stage.configure(deploy={"credentials": CREDENTIALS, "storage": {"content": {"size": "1Gi"}}})
    assert stage.up().changes.create == 8
    stage.assert_settled()
    before = namespace.services()
    assert set(before) == {*STATIC, "media-adapter-nfs", "media-adapter-smb"}

    # A cloud gives the Service an address and writes on it what it needs to remember.
    nfs = "api/v1:services/media-adapter-nfs"
    namespace.merge(f"{nfs}/status", {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.10"}]}}})
    namespace.merge(
        nfs, {"metadata": {"annotations": {"cloud.example/id": "lb-1"}, "finalizers": ["x.example/lb"]}}
    )
    world.assert_settled()

    port = dfs.port_of("nfs")
    dfs.set_port("nfs", *free_ports(1))
    report = stage.up()
    assert report.changes == Changes(update=3, same=5), "the Service, the headless one and the StatefulSet"
    moved = namespace.get(nfs)
    assert moved["spec"]["ports"][0]["targetPort"] != port
    assert identity(moved) == identity(before["media-adapter-nfs"])
    assert moved["metadata"]["annotations"]["cloud.example/id"] == "lb-1"
    assert moved["status"]["loadBalancer"]["ingress"][0]["ip"] == "192.0.2.10"
    external = report.outputs["servers"]["media"]["adapters"]["nfs"]["endpoints"]["external"]
    assert external == [f"192.0.2.10:{moved['spec']['ports'][0]['port']}"]
    namespace.merge(nfs, {"metadata": {"finalizers": None}})

    dfs.delete("smb")
    for _ in range(2):
        assert stage.up().changes == Changes(update=1, same=7)
        assert "media-adapter-smb" in namespace.services()
    assert stage.up().changes == Changes(delete=1, update=2, same=5)
    assert set(namespace.services()) == {*STATIC, "media-adapter-nfs"}

    dfs.disable("nfs")
    assert stage.up().changes.delete == 1
    assert set(namespace.services()) == STATIC
    world.assert_settled()

    assert world.stack.destroy().ok
    assert namespace.services() == {}
