"""What others add to our objects shows in `drift`, with who did it and what becomes of it."""

import shlex
from dataclasses import replace

import pytest

from dittoinfra.reports.status.drift_check import check_drift
from dittoinfra.reports.status.status_model import Finding, StackDrift
from dittoinfra.reports.status.terminal import drift_lines
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.world import PASSWORD_ENV, World, server

NFS = "api/v1:services/media-adapter-nfs"
WORKLOAD = "apis/apps/v1:statefulsets/media"
EXTRA = {"name": "extra", "port": 9999, "protocol": "TCP", "targetPort": 9999}


@pytest.fixture
def nfs(world: World, namespace: Namespace, dittofs: SimulatedDittoFS) -> str:
    """The path of an adapter's Service that a run has made."""
    dittofs.disable("smb")
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    assert list(drift_lines(drift(world))) == ["world: no drift"]
    return NFS


def drift(world: World) -> StackDrift:
    """What a look at the stack finds; the stack itself is run by the test."""
    return check_drift(replace(world.stack))


def cluster_findings(found: StackDrift) -> dict[str | None, Finding]:
    assert found.exit_code == 7
    assert {finding.subject for finding in found.drift} == {"Service media/nfs"}
    return {finding.path: finding for finding in found.drift}


def test_additions_of_others_are_told_with_the_command_that_removes_them(
    world: World, namespace: Namespace, nfs: str, dittofs: SimulatedDittoFS
) -> None:
    ports = namespace.get(nfs)["spec"]["ports"]
    namespace.merge(
        nfs, {"metadata": {"labels": {"tier": "gold"}, "annotations": {"example.com/n": "1"}}}, "lens"
    )
    namespace.merge(nfs, {"spec": {"ports": [*ports, EXTRA]}}, "lens")

    found = cluster_findings(drift(world))

    assert found.keys() == {
        "metadata.labels.tier",
        'metadata.annotations["example.com/n"]',
        "spec.ports[extra]",
    }
    assert {finding.manager for finding in found.values()} == {"lens"}
    label = found["metadata.labels.tier"]
    assert (label.before, label.after, label.at is None) == (None, "gold", False)
    command = f"kubectl --namespace {namespace.name} label service media-adapter-nfs tier-"
    assert label.next == f"it stays until it is removed: {command}"
    port = shlex.split(str(found["spec.ports[extra]"].next))
    assert port[-2] == "--patch"
    namespace.json(nfs, port[-1])
    assert [this["name"] for this in namespace.get(nfs)["spec"]["ports"]] == ["adapter-nfs"]
    dittofs.set_adapter("nfs", port=12050)
    world.up()
    assert namespace.get(nfs)["metadata"]["labels"]["tier"] == "gold", "it stays"


def test_what_kubectl_added_is_said_to_go_and_goes(
    world: World, namespace: Namespace, nfs: str, dittofs: SimulatedDittoFS
) -> None:
    namespace.merge(nfs, {"metadata": {"labels": {"tier": "gold"}}}, "kubectl-label")

    (finding,) = cluster_findings(drift(world)).values()

    assert str(finding.next).startswith("the next update of this object removes it unseen; ")
    dittofs.set_adapter("nfs", port=12050)
    world.up()
    assert "tier" not in namespace.get(nfs)["metadata"]["labels"]


@pytest.mark.parametrize("manager", ["kubectl-edit", "lens"])
def test_an_edit_is_told_with_both_values_and_who_made_it(
    world: World, namespace: Namespace, nfs: str, manager: str
) -> None:
    ports = [{**port, "targetPort": 1} for port in namespace.get(nfs)["spec"]["ports"]]
    namespace.merge(nfs, {"spec": {"ports": ports}}, manager)

    (finding,) = cluster_findings(drift(world)).values()

    assert finding.path == "spec.ports[adapter-nfs].targetPort"
    assert (finding.before, finding.after, finding.manager) == ("12049", "1", manager)
    assert finding.next == "`dittoinfra up world` puts it back"


def test_what_a_cloud_writes_is_no_drift(world: World, namespace: Namespace, nfs: str) -> None:
    cloud = {
        "annotations": {"service.beta.kubernetes.io/load-balancer-id": "lb-1", "example.com/zone": "a"},
        "finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
    }
    namespace.merge(nfs, {"metadata": cloud}, "cloud-controller-manager")

    assert list(drift_lines(drift(world))) == ["world: no drift"]
    namespace.merge(nfs, {"metadata": {"finalizers": None}})


def test_an_object_that_is_being_deleted_is_told(world: World, namespace: Namespace, nfs: str) -> None:
    namespace.merge(nfs, {"metadata": {"finalizers": ["example.com/hold"]}})
    namespace.delete(nfs)

    (finding,) = drift(world).drift

    assert finding.text.startswith("being deleted since ")
    assert finding.text.endswith(", held by example.com/hold")
    namespace.merge(nfs, {"metadata": {"finalizers": None}})


def test_a_rollout_restart_is_information(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV}
    world.configure(media(namespace.name, deploy={}, api=api))
    world.up()
    at = "2026-11-17T00:00:00Z"
    annotations = {"kubectl.kubernetes.io/restartedAt": at}
    restart = {"spec": {"template": {"metadata": {"annotations": annotations}}}}
    namespace.merge(WORKLOAD, restart, "kubectl-rollout")

    found = drift(world)

    assert list(drift_lines(found)) == [
        "world: information: StatefulSet media: restarted by `kubectl rollout restart` at "
        f"{at}: left as it is",
        "world: no drift",
    ]
    assert found.exit_code == 0
