"""The real engine and a real Kubernetes API, with the stand-in between them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pulumi
from pulumi import automation as auto

from dittoinfra.kubernetes import Cluster
from lab.bed.cluster import KubernetesCluster
from lab.standin import ApiStore, StandInProvider
from lab.standin.annotations import SKIP_AWAIT
from tests.contract.standin.bench import NFS, UNCHANGED, Bench, service
from tests.contract.standin.objects import Objects


def test_a_service_is_created_updated_and_deleted(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    # when it is previewed, nothing exists; when it is declared, it does
    assert api_bench.preview(lambda: _declare(namespace, note="one")) == {"create": 2}
    assert services.get("web") is None
    assert api_bench.up(lambda: _declare(namespace, note="one")) == {"create": 2}
    created = services.live("web")

    # then a second run has nothing to do, whatever the API filled in
    assert api_bench.preview(lambda: _declare(namespace, note="one")) == UNCHANGED

    # when an annotation and then a port change, the same object follows
    assert api_bench.changed_paths(lambda: _declare(namespace, note="two")) == {
        "web": ["metadata.annotations.note"]
    }
    assert api_bench.up(lambda: _declare(namespace, note="two")) == {"same": 1, "update": 1}
    assert api_bench.changed_paths(lambda: _declare(namespace, note="two", port=2050)) == {
        "web": ["spec.ports[0].port"]
    }
    assert api_bench.up(lambda: _declare(namespace, note="two", port=2050)) == {"same": 1, "update": 1}
    updated = services.live("web")
    assert updated["metadata"]["uid"] == created["metadata"]["uid"]
    assert updated["metadata"]["annotations"] == {"note": "two"}
    assert [port["port"] for port in updated["spec"]["ports"]] == [2050]

    # when an annotation is no longer declared, it goes
    assert api_bench.up(lambda: _declare(namespace, port=2050)) == {"same": 1, "update": 1}
    assert "annotations" not in services.live("web")["metadata"]

    assert api_bench.destroy() == {"delete": 2}
    assert services.get("web") is None


def test_fields_of_others_survive_an_update(api_bench: Bench, services: Objects, namespace: str) -> None:
    # given a load balancer that a cloud has dressed up
    api_bench.up(lambda: _balance(namespace, note="one"))
    before = services.edit(
        "web", {"metadata": {"annotations": {"cloud/id": "lb-7"}, "finalizers": ["cloud/lb"]}}
    )
    ingress = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}
    services.edit("web", ingress, subresource="/status")

    # when our own annotation changes
    api_bench.up(lambda: _balance(namespace, note="two"))

    # then everything that is not ours is as it was
    after = services.live("web")
    assert after["metadata"]["annotations"] == {"note": "two", SKIP_AWAIT: "true", "cloud/id": "lb-7"}
    assert after["metadata"]["finalizers"] == before["metadata"]["finalizers"]
    assert after["spec"]["clusterIP"] == before["spec"]["clusterIP"]
    assert after["spec"]["ports"][0]["nodePort"] == before["spec"]["ports"][0]["nodePort"]
    assert after["status"]["loadBalancer"]["ingress"][0]["ip"] == "192.0.2.7"
    # and neither a preview nor a refresh takes it for a change of ours
    assert api_bench.preview(lambda: _balance(namespace, note="two")) == UNCHANGED
    api_bench.refresh()
    assert api_bench.preview(lambda: _balance(namespace, note="two")) == UNCHANGED
    services.edit("web", {"metadata": {"finalizers": None}})


def test_one_port_number_in_tcp_and_udp(api_bench: Bench, services: Objects, namespace: str) -> None:
    both = [
        {"name": "nfs", "port": 2049, "protocol": "TCP"},
        {"name": "nfs-udp", "port": 2049, "protocol": "UDP"},
    ]

    api_bench.up(lambda: service(namespace=namespace, ports=both))
    api_bench.up(lambda: service(namespace=namespace, ports=both, annotations={"note": "again"}))

    ports = services.live("web")["spec"]["ports"]
    assert [(port["name"], port["port"], port["protocol"]) for port in ports] == [
        ("nfs", 2049, "TCP"),
        ("nfs-udp", 2049, "UDP"),
    ]


def test_another_cluster_ip_is_another_service(api_bench: Bench, services: Objects, namespace: str) -> None:
    api_bench.up(lambda: _declare(namespace))
    before = services.live("web")

    assert api_bench.preview(lambda: _declare(namespace, cluster_ip="None")) == {"same": 1, "replace": 1}
    assert services.live("web")["metadata"]["uid"] == before["metadata"]["uid"]
    api_bench.up(lambda: _declare(namespace, cluster_ip="None"))

    after = services.live("web")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert after["spec"]["clusterIP"] == "None"


def test_an_object_of_others_is_not_taken_over(api_bench: Bench, services: Objects, namespace: str) -> None:
    theirs = services.create({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}})

    message = api_bench.failure(lambda: _declare(namespace))

    assert 'services "web" already exists' in message
    assert "Intentional upsert: set upsertExistingObjects on the provider" in message
    assert services.live("web")["metadata"]["resourceVersion"] == theirs["metadata"]["resourceVersion"]


def test_an_object_of_others_is_taken_over_on_demand(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    theirs = services.create(
        {"metadata": {"name": "web"}, "spec": {"ports": [{"name": "nfs", "port": 2049}]}}
    )
    api_bench.config["kubernetes:upsertExistingObjects"] = "true"
    api_bench.config["kubernetes:enablePatchForce"] = "true"

    api_bench.up(lambda: _declare(namespace, note="ours"))

    ours = services.live("web")
    assert ours["metadata"]["uid"] == theirs["metadata"]["uid"]
    assert ours["metadata"]["annotations"] == {"note": "ours"}


def test_an_object_of_others_is_imported(api_bench: Bench, services: Objects, namespace: str) -> None:
    port = {"name": "nfs", "port": 2049, "targetPort": 12049, "protocol": "TCP"}
    theirs = services.create({"metadata": {"name": "web"}, "spec": {"ports": [port]}})

    imported = pulumi.ResourceOptions(import_=f"{namespace}/web")
    changes = api_bench.up(lambda: service(namespace=namespace, opts=imported))

    # imported as it is, then brought to what is declared: never replaced
    assert changes == {"create": 1, "import": 1, "update": 1}
    ours = services.live("web")
    assert ours["metadata"]["uid"] == theirs["metadata"]["uid"]
    assert ours["spec"]["clusterIP"] == theirs["spec"]["clusterIP"]
    assert ours["metadata"]["labels"] == {"app.kubernetes.io/name": "web"}
    assert api_bench.preview(lambda: service(namespace=namespace, opts=imported)) == UNCHANGED


def test_a_refresh_shows_a_manual_edit_and_the_next_run_undoes_it_by_force(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    api_bench.config["kubernetes:enablePatchForce"] = "true"
    api_bench.up(lambda: _declare(namespace, note="ours"))
    services.edit("web", {"metadata": {"annotations": {"note": "theirs"}}})

    assert api_bench.refresh() == {"same": 1, "update": 1}
    assert api_bench.changed_paths(lambda: _declare(namespace, note="ours")) == {
        "web": ["metadata.annotations.note"]
    }
    api_bench.up(lambda: _declare(namespace, note="ours"))

    assert services.live("web")["metadata"]["annotations"] == {"note": "ours"}


def test_a_field_of_another_manager_is_a_conflict(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    api_bench.up(lambda: _declare(namespace, note="ours"))
    services.edit("web", {"metadata": {"annotations": {"note": "theirs"}}})

    message = api_bench.failure(lambda: _declare(namespace, note="new"))

    assert "server-side apply field conflict detected" in message
    assert ".metadata.annotations.note" in message
    assert services.live("web")["metadata"]["annotations"] == {"note": "theirs"}


def test_the_state_of_a_large_object_survives_a_failure(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    # it travels in the head of an answer, where there is little room by default
    def program(note: str) -> None:
        service(namespace=namespace, annotations={"note": note, "large": "x" * 100_000})

    api_bench.up(lambda: program("ours"))
    services.edit("web", {"metadata": {"annotations": {"note": "theirs"}}})

    assert "server-side apply field conflict detected" in api_bench.failure(lambda: program("new"))


def test_changes_that_are_to_be_ignored_keep_their_manager(
    api_bench: Bench, services: Objects, namespace: str
) -> None:
    def program(note: str, label: str) -> None:
        ignoring = pulumi.ResourceOptions(ignore_changes=["metadata.annotations.note"])
        service(namespace=namespace, annotations={"note": note, "label": label}, opts=ignoring)

    api_bench.up(lambda: program("ours", "one"))
    services.edit("web", {"metadata": {"annotations": {"note": "theirs"}}})
    assert api_bench.preview(lambda: program("new", "one")) == UNCHANGED

    api_bench.up(lambda: program("new", "two"))

    assert services.live("web")["metadata"]["annotations"] == {"note": "theirs", "label": "two"}


def test_a_refresh_forgets_what_is_gone(api_bench: Bench, services: Objects, namespace: str) -> None:
    api_bench.up(lambda: _declare(namespace))
    services.delete("web")

    assert api_bench.refresh() == {"same": 1, "delete": 1}
    assert api_bench.up(lambda: _declare(namespace)) == {"same": 1, "create": 1}
    assert services.get("web") is not None


def test_deleting_what_is_gone_is_no_error(api_bench: Bench, services: Objects, namespace: str) -> None:
    api_bench.up(lambda: _declare(namespace))
    services.delete("web")

    assert api_bench.destroy() == {"delete": 2}


def test_the_api_s_own_words_reach_the_person(api_bench: Bench, namespace: str) -> None:
    message = api_bench.failure(lambda: _declare(namespace, port=70000))

    assert "was not successfully created by the Kubernetes API server: " in message
    assert "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535" in message
    assert "Traceback" not in message


def test_a_failed_update_is_made_up_for_by_the_next(
    pulumi_cli: auto.PulumiCommand, tmp_path: Path, cluster: Cluster, services: Objects, namespace: str
) -> None:
    # given a provider that fails one of two updates
    broken = {"second"}

    def fail_on(operation: str, urn: str) -> str | None:
        name = urn.rpartition("::")[2]
        return f"{operation} of {name} interrupted" if operation == "update" and name in broken else None

    def program(note: str) -> None:
        for name in ("first", "second"):
            service(name, namespace=namespace, annotations={"note": note})

    with StandInProvider(ApiStore(cluster), fail_on=fail_on) as provider:
        bench = Bench(pulumi_cli, tmp_path, provider.environment())
        bench.up(lambda: program("one"))

        # when the update fails half way
        assert "update of second interrupted" in bench.failure(lambda: program("two"))
        assert services.live("second")["metadata"]["annotations"] == {"note": "one"}

        # then the next one finishes it
        broken.clear()
        bench.up(lambda: program("two"))
        assert bench.preview(lambda: program("two")) == {"same": 3}

    for name in ("first", "second"):
        assert services.live(name)["metadata"]["annotations"] == {"note": "two"}


def test_two_stacks_at_once(api_bench: Bench, services: Objects, namespace: str) -> None:
    names = ("red", "blue")

    def run(name: str) -> dict[str, int]:
        own = Bench(api_bench.command, api_bench.directory / name, api_bench.environment, stack_name=name)
        return own.up(lambda: _declare(namespace, name=name))

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(run, names)) == [{"create": 2}, {"create": 2}]

    assert all(services.get(name) is not None for name in names)


def test_the_stack_configuration_chooses_the_cluster(
    pulumi_cli: auto.PulumiCommand,
    tmp_path: Path,
    kubernetes_cluster: KubernetesCluster,
    services: Objects,
    namespace: str,
) -> None:
    settings = {
        "kubernetes:kubeconfig": kubernetes_cluster.kubeconfig.read_text(),
        "kubernetes:namespace": namespace,
    }
    with StandInProvider() as provider:
        bench = Bench(pulumi_cli, tmp_path, provider.environment(), config=settings)
        bench.up(lambda: service())

    assert services.get("web") is not None


def _balance(namespace: str, *, note: str) -> None:
    """Declare a load balancer, whose address is not waited for."""
    service(
        namespace=namespace, annotations={"note": note, SKIP_AWAIT: "true"}, spec={"type": "LoadBalancer"}
    )


def _declare(
    namespace: str, *, name: str = "web", note: str | None = None, port: int = 2049, **spec: str
) -> None:
    annotations = {"note": note} if note else None
    service(name, namespace=namespace, annotations=annotations, ports=[NFS | {"port": port}], spec=spec)
