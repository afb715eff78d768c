"""Taking over a server that others made, on a real Kubernetes API."""

from pathlib import Path
from typing import Any

from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.settings import Deploy
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore
from tests.engine.deploy.operator_made import (
    ADDRESS,
    FINALIZER,
    NFS,
    OWNER,
    PINNED,
    SERVICES,
    STATEFUL_SET,
    OperatorMade,
    service,
)
from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.world import World
from tests.engine.world import world as new_world

CREATED = 8
"""The stack, the server and its objects: to the engine an adopted object is a new one."""


def server(
    operator: OperatorMade, deploy: dict[str, object] | None = None, **settings: object
) -> dict[str, Any]:
    # The operator's own image names no version, so that the default is refused.
    deploy = {"image": Deploy().image, **(deploy or {})}
    return media(operator.namespace, deploy=deploy, **{"adopt": True, "adapters": PINNED, **settings})


def versions(operator: OperatorMade) -> dict[str, str]:
    """Every object's version: another one after every write."""
    return {path: live["metadata"]["resourceVersion"] for path, live in operator.every_object().items()}


def identity(live: dict[str, Any]) -> dict[str, object]:
    """What clients and clouds know an object by."""
    spec, metadata = live.get("spec", {}), live["metadata"]
    return {
        "uid": metadata["uid"],
        "clusterIP": spec.get("clusterIP"),
        "finalizers": metadata.get("finalizers"),
        "status": live.get("status", {}).get("loadBalancer"),
    }


def node_ports(live: dict[str, Any]) -> dict[str, int]:
    return {port["name"]: port["nodePort"] for port in live["spec"]["ports"]}


def told(lines: list[str], about: str) -> str:
    (line,) = [line for line in lines if about in line]
    return line


def test_a_whole_server_is_adopted_as_the_preview_says(cluster_world: World, operator: OperatorMade) -> None:
    before, seen = operator.every_object(), versions(operator)
    cluster_world.configure(server(operator, labels={"team": "storage"}))

    preview = cluster_world.preview()

    assert versions(operator) == seen, "a preview writes nothing"
    assert preview.changes.create == CREATED
    notes = preview.lines("info", "warning")
    uid = before[NFS]["metadata"]["uid"]
    assert told(notes, "Service media-adapter-nfs").startswith(
        f"media: Service media-adapter-nfs exists already (uid {uid}): adopted; loses its owner {OWNER}; "
        "removed from it: port adapter-nfs-udp, port mdns, port portmap, port portmap-udp; "
        "changed on it: annotations, labels"
    )
    restart = told(notes, "StatefulSet media exists")
    assert "removed from it: spec.template.spec.containers[dittofs].env[DATABASE_URL]" in restart
    assert restart.endswith("; its Pod's template changes: the Pod restarts once")

    report = cluster_world.up()

    assert report.lines("info", "warning") == notes
    after = operator.every_object()
    assert {path: identity(live) for path, live in after.items()} == {
        path: identity(live) for path, live in before.items()
    }
    nfs = after[NFS]
    assert [port["name"] for port in nfs["spec"]["ports"]] == ["adapter-nfs"]
    assert node_ports(nfs).items() <= node_ports(before[NFS]).items()
    assert nfs["status"]["loadBalancer"]["ingress"][0]["ip"] == ADDRESS
    assert nfs["metadata"]["finalizers"] == [FINALIZER]
    assert nfs["metadata"]["annotations"]["cloud.example/id"] == "lb-1"
    container = after[STATEFUL_SET]["spec"]["template"]["spec"]["containers"][0]
    assert "DATABASE_URL" not in [variable["name"] for variable in container["env"]]
    cluster_world.assert_settled()

    cluster_world.configure(server(operator))
    cluster_world.up()
    labelled = [live["metadata"].get("labels") or {} for live in operator.every_object().values()]
    assert not any("team" in labels for labels in labelled), "no other manager holds on to what is ours"


def test_nothing_that_the_server_needs_goes_with_its_old_owner(
    cluster_world: World, operator: OperatorMade
) -> None:
    operator.create(SERVICES, service("media-file", [{"name": "nfs", "port": 2049}]), owned=True)
    file_before = operator.get(f"{SERVICES}/media-file")
    cluster_world.configure(server(operator))

    notes = cluster_world.up().lines("info", "warning")

    owned = {
        path: [owner["name"] for owner in live["metadata"].get("ownerReferences", [])]
        for path, live in operator.every_object().items()
    }
    assert {path for path, owners in owned.items() if owners} == {
        "apis/networking.k8s.io/v1:networkpolicies/media-baseline"
    }
    secret = "Secret media-jwt-secret is read by the server and not declared: it loses its owner"
    assert told(notes, secret).endswith(f"{OWNER}, and stays")
    fate = f"is of an earlier deployment and not declared: left alone; Kubernetes deletes it with {OWNER}"
    assert told(notes, "media-baseline") == f"media: NetworkPolicy media-baseline {fate}"
    assert told(notes, "media-file") == f"media: Service media-file {fate}"
    assert operator.get(f"{SERVICES}/media-file") == file_before


def test_a_port_moves_in_one_write_though_its_name_stays(
    cluster_world: World, operator: OperatorMade
) -> None:
    before = operator.get(NFS)
    adapters = {**PINNED, "types": {"nfs": {"servicePort": 2049}}}
    cluster_world.configure(server(operator, adapters=adapters))

    notes = cluster_world.up().lines("info", "warning")

    assert "removed from it: port adapter-nfs, port adapter-nfs-udp, " in told(notes, "media-adapter-nfs")
    after = operator.get(NFS)
    assert [(port["name"], port["port"]) for port in after["spec"]["ports"]] == [("adapter-nfs", 2049)]
    assert identity(after) == identity(before)
    cluster_world.assert_settled()


def test_what_helm_made_loses_its_packaging_and_keeps_its_address(
    cluster_world: World, kubernetes_api: KubernetesApi
) -> None:
    with kubernetes_api.client() as client:
        helm = OperatorMade(Namespace(kubernetes_api.namespace(), client), manager="helm")
        body = service("media-adapter-nfs", [{"name": "adapter-nfs", "port": 12049}])
        body["spec"] |= {"type": "LoadBalancer", "loadBalancerIP": ADDRESS}
        body["metadata"]["labels"] |= {"helm.sh/chart": "dittofs-1.2", "app.kubernetes.io/managed-by": "Helm"}
        body["metadata"]["annotations"] = {"meta.helm.sh/release-name": "media", "example.com/pool": "public"}
        helm.create(SERVICES, body)
        before = helm.get(NFS)
        cluster_world.configure(
            {
                "name": "media",
                "namespace": helm.namespace,
                "adopt": True,
                "adapters": {"pinned": [{"type": "nfs", "port": 12049}]},
            }
        )

        note = told(cluster_world.up().lines("info", "warning"), "media-adapter-nfs")

        after = helm.get(NFS)
    assert "removed from it: annotation meta.helm.sh/release-name, label helm.sh/chart" in note
    assert note.endswith("; left on it: annotation example.com/pool")
    assert after["metadata"]["annotations"] == {"example.com/pool": "public", "pulumi.com/skipAwait": "true"}
    assert "helm.sh/chart" not in after["metadata"]["labels"]
    assert identity(after) == identity(before)
    assert node_ports(after) == node_ports(before)
    assert after["spec"]["loadBalancerIP"] == ADDRESS
    cluster_world.assert_settled()


def test_a_run_that_broke_off_is_finished_by_the_next(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, operator: OperatorMade, tmp_path: Path
) -> None:
    broken = ["StatefulSet"]

    def fail_on(operation: str, urn: str) -> str | None:
        return "the power is out" if broken and operation == "create" and broken[0] in urn else None

    before = operator.every_object()
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        new_world(
            pulumi_cli,
            tmp_path,
            fail_on=fail_on,
            store=ApiStore(cluster),
            kubeconfig=kubernetes_api.kubeconfig,
        ) as world,
    ):
        world.configure(server(operator))
        assert not world.stack.up().ok
        broken.clear()

        world.up()

        world.assert_settled()
    after = operator.every_object()
    assert identity(after[STATEFUL_SET]) == identity(before[STATEFUL_SET])
    assert not after[STATEFUL_SET]["metadata"].get("ownerReferences")
