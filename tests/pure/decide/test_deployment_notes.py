"""Settings that cost data or clients later are said in every run."""

import pytest

from dittoinfra.decide.deployment_notes import deployment_notes
from dittoinfra.model import DeclaredAdapter, ServerDecision, State
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import answer, server


def said(this: ServerSettings, port: int = 12049) -> list[str]:
    nfs = DeclaredAdapter("nfs", port, State.SERVING)
    decision = ServerDecision(this.name, answer(), bootstrap=False, adapters=(nfs,))
    notes = deployment_notes([this], {this.name: decision})
    assert all(note.warning for note in notes)
    return [note.text for note in notes]


def test_writes_without_a_claim_are_said() -> None:
    [line] = said(server(deploy={}))

    assert "writes are kept at /data/store/block until they are uploaded" in line
    assert "set deploy.storage.content" in line


@pytest.mark.parametrize(
    ("volume", "lasts"),
    [
        ({"persistentVolumeClaim": {"claimName": "c"}}, True),
        ({"nfs": {"server": "s", "path": "/"}}, True),
        ({"iscsi": {}}, True),
        ({"cephfs": {}}, True),
        ({"emptyDir": {}}, False),
        ({"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}, False),
        ({"csi": {"driver": "inline.example.com"}}, False),
        ({"hostPath": {"path": "/srv"}}, False),
        ({}, False),
    ],
)
def test_only_volumes_that_every_pod_finds_again_keep_writes(volume: dict[str, object], lasts: bool) -> None:
    mounts = [{"name": "v", "mountPath": "/data/store/block"}]

    assert (
        said(server(deploy={"volumes": [{"name": "v", **volume}], "volumeMounts": mounts})) == []
    ) == lasts


def test_a_claim_that_is_mounted_nearer_or_elsewhere_keeps_writes() -> None:
    above = {
        "volumes": [{"name": "v", "emptyDir": {}}],
        "volumeMounts": [{"name": "v", "mountPath": "/data"}],
    }
    of_the_database = {"volumeMounts": [{"name": "controlplane", "mountPath": "/data/store/block"}]}

    assert said(server(deploy={**above, "storage": {"content": {}}})) == []
    assert said(server(deploy=of_the_database)) == []


def test_a_claim_or_a_volume_that_outlives_the_pod_is_enough() -> None:
    own = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}
    passing = {"volumes": [{"name": "v", "emptyDir": {}}]}

    assert said(server(deploy={"storage": {"content": {}}})) == []
    assert said(server()) == [], "another manager's server"
    for path in ("/data/store/block", "/data/store/block/", "/data/store", "/data"):
        mounts = [{"name": "v", "mountPath": path}]
        assert said(server(deploy={**own, "volumeMounts": mounts})) == []
        assert len(said(server(deploy={**passing, "volumeMounts": mounts}))) == 1
    over_the_claim = {"volumeMounts": [{"name": "v", "mountPath": "/data/store/block"}]}
    assert len(said(server(deploy={**passing, **over_the_claim, "storage": {"content": {}}}))) == 1
    assert len(said(server(deploy={**own, "volumeMounts": [{"name": "v", "mountPath": "/other"}]}))) == 1


@pytest.mark.parametrize(
    ("nfs", "warned"),
    [
        ({"servicePort": 2049, "extras": {"portmapper": True}}, True),
        ({"servicePort": 2049, "preset": "operator"}, True),
        ({"servicePort": 2049, "preset": "operator", "extras": {"portmapper": False}}, False),
        ({"servicePort": 2049}, False),
        ({"servicePort": 12049, "extras": {"portmapper": True}}, False),
        ({"extras": {"portmapper": True}}, False),
    ],
)
def test_a_portmapper_that_names_another_port_is_said(nfs: dict[str, object], warned: bool) -> None:
    lines = said(server(adapters={"types": {"nfs": nfs}}))

    assert len(lines) == warned
    if warned:
        assert (
            "nfs has the Service port 2049, and its portmapper tells NFSv3 clients to use 12049" in lines[0]
        )
        assert "mount with port=2049,mountport=2049 or NFSv4" in lines[0]
