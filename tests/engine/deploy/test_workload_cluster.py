"""The workload in a real Kubernetes API: valid, restricted, settled, restarted once or never."""

from collections.abc import Iterator
from typing import Any

import pytest

from dittoinfra.exitcodes import ExitCode
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.workload import media, restarts, touched
from tests.engine.namespace import Namespace
from tests.engine.world import PASSWORD_ENV, World

STATEFUL_SETS = "apis/apps/v1:statefulsets"
BUDGETS = "apis/policy/v1:poddisruptionbudgets"

EVERYTHING: dict[str, Any] = {
    "image": "marmos91c/dittofs:v0.29.0",
    "imagePullPolicy": "IfNotPresent",
    "imagePullSecrets": ["registry"],
    "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "storage", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "DoesNotExist"}]}]
            }
        }
    },
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    ],
    "priorityClass": "system-cluster-critical",
    "serviceAccount": "files",
    "env": [{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
    "volumes": [{"name": "extra", "projected": {"sources": [{"configMap": {"name": "motd"}}]}}],
    "volumeMounts": [{"name": "extra", "mountPath": "/extra", "readOnly": True}],
    "podSecurityContext": {"fsGroupChangePolicy": "OnRootMismatch"},
    "containerSecurityContext": {"runAsUser": 65532},
    "readOnlyRootFilesystem": True,
    "updateStrategy": "OnDelete",
    "gracePeriod": "2m",
    "podDisruptionBudget": True,
    "storage": {"metadata": {"size": "10240Mi"}, "content": {"size": "50Gi", "storageClass": "fast"}},
    "config": {"logging": {"level": "DEBUG"}},
    "metrics": {"enabled": True},
    "api": {"tls": {"secret": "cert", "clientCa": "clients"}},
}


def pod(stateful_set: dict[str, Any]) -> dict[str, Any]:
    """The Pod that the StatefulSet's controller would make."""
    template = stateful_set["spec"]["template"]
    claims = [
        {"name": claim["metadata"]["name"], "persistentVolumeClaim": {"claimName": "any"}}
        for claim in stateful_set["spec"]["volumeClaimTemplates"]
    ]
    spec = template["spec"] | {"volumes": [*template["spec"]["volumes"], *claims]}
    return {"metadata": {"name": "media-0", "labels": template["metadata"]["labels"]}, "spec": spec}


@pytest.mark.parametrize("deploy", [{}, EVERYTHING], ids=["defaults", "everything"])
def test_a_server_is_created_whole_and_admitted_under_the_restricted_standard(
    cluster_world: World, namespace: Namespace, deploy: dict[str, Any]
) -> None:
    namespace.label({"pod-security.kubernetes.io/enforce": "restricted"})
    cluster_world.configure(media(namespace.name, deploy=deploy))

    cluster_world.up()

    cluster_world.assert_settled()
    created = namespace.get(f"{STATEFUL_SETS}/media")
    admitted = namespace.create("api/v1:pods", pod(created))
    assert admitted["spec"]["containers"][0]["command"] == ["/app/dfs"]
    sizes = [c["spec"]["resources"]["requests"]["storage"] for c in created["spec"]["volumeClaimTemplates"]]
    assert sizes == (["10Gi", "50Gi", "1Gi"] if deploy else ["10Gi", "1Gi"])


def test_that_standard_is_enforced_indeed(cluster_world: World, namespace: Namespace) -> None:
    namespace.label({"pod-security.kubernetes.io/enforce": "restricted"})
    lax = {"containerSecurityContext": {"allowPrivilegeEscalation": None}}
    cluster_world.configure(media(namespace.name, deploy=lax))
    cluster_world.up()

    with pytest.raises(AssertionError, match="allowPrivilegeEscalation != false"):
        namespace.create("api/v1:pods", pod(namespace.get(f"{STATEFUL_SETS}/media")))


def test_changed_claims_are_refused_until_a_setting_lets_them_through(
    cluster_world: World, namespace: Namespace
) -> None:
    cluster_world.configure(media(namespace.name, deploy={}))
    cluster_world.up()
    uid = namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["uid"]

    larger = {"metadata": {"size": "20Gi"}}
    cluster_world.configure(media(namespace.name, deploy={"storage": larger}))
    report = cluster_world.stack.up()
    assert report.exit_code == ExitCode.POLICY
    assert any(
        line.startswith("media: deploy.storage.metadata.size changes from 10Gi to 20Gi")
        for line in report.lines("error")
    )
    assert report.steps == ()
    assert namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["uid"] == uid

    cluster_world.configure(media(namespace.name, deploy={"storage": {**larger, "replace": True}}))
    assert cluster_world.up().changes.replace == 1
    replaced = namespace.get(f"{STATEFUL_SETS}/media")
    assert replaced["metadata"]["uid"] != uid

    cluster_world.configure(media(namespace.name, deploy={"storage": larger}))
    cluster_world.assert_settled()


def test_a_disruption_budget_lets_no_drain_evict_the_pod(cluster_world: World, namespace: Namespace) -> None:
    cluster_world.configure(media(namespace.name, deploy={"podDisruptionBudget": True}))
    cluster_world.up()

    assert namespace.get(f"{BUDGETS}/media")["spec"] == {
        "maxUnavailable": 0,
        "selector": {"matchLabels": {"app": "dittofs-server", "instance": "media"}},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }

    cluster_world.configure(media(namespace.name, deploy={}))
    assert cluster_world.up().changes.delete == 1


@pytest.fixture
def dittofs(cluster_world: World) -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS(admin_password=cluster_world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        yield simulated


@pytest.mark.parametrize("frozen", [False, True], ids=["ports in the pod", "frozen ports"])
def test_a_change_of_adapters_restarts_the_pod_once_or_never(
    cluster_world: World, namespace: Namespace, dittofs: SimulatedDittoFS, frozen: bool
) -> None:
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV}
    cluster_world.configure(media(namespace.name, deploy={"freezePorts": frozen}, api=api))
    cluster_world.up()

    def generation() -> int:
        """Kubernetes counts writes of the spec in it."""
        return int(namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["generation"])

    moved, added, disabled = {"port": 2049}, {"port": 12445}, {"enabled": False, "running": False}
    for adapter, change in (("nfs", moved), ("smb", added), ("smb", disabled)):
        before = generation()
        dittofs.set_adapter(adapter, **change)
        report = cluster_world.up()
        assert report.changes.any
        assert restarts(report) is not frozen
        assert generation() - before == (0 if frozen else 1)
        assert "Service/media-headless" in touched(report)
    cluster_world.assert_settled()
