"""When nothing is adopted, and nothing is touched."""

from dataclasses import replace

import yaml

from dittoinfra.stacks.result import RunReport
from tests.engine.deploy.operator_made import NFS, PINNED, OperatorMade
from tests.engine.deploy.test_adopt import server, versions
from tests.engine.world import World


def refused(world: World, operator: OperatorMade) -> list[str]:
    """Why a run stops, both foretold and done, with the cluster as it was."""
    seen = versions(operator)
    preview, up = world.stack.preview(), world.stack.up()
    assert not preview.ok
    assert up.exit_code == preview.exit_code
    assert versions(operator) == seen
    assert not [step for step in up.steps if step.type.startswith("kubernetes:")]
    assert errors(up) == errors(preview)
    return errors(up)


def errors(report: RunReport) -> list[str]:
    # What an inline program ends in, the engine may say once more.
    said = (line.removeprefix("an unhandled error occurred: ") for line in report.lines("error"))
    return list(dict.fromkeys(said))


def test_claims_that_kubernetes_does_not_let_change(cluster_world: World, operator: OperatorMade) -> None:
    cluster_world.configure(server(operator, deploy={"storage": {"metadata": {"size": "20Gi"}}}))

    (error,) = refused(cluster_world, operator)

    assert error == (
        "media: StatefulSet media cannot be adopted: deploy.storage.metadata.size is 10Gi there and 20Gi "
        "here, which Kubernetes does not let change: write here what is there"
    )


def test_a_server_that_does_not_say_so_is_guarded(cluster_world: World, operator: OperatorMade) -> None:
    cluster_world.configure({"name": "media", "namespace": operator.namespace, "adapters": PINNED})

    (error,) = refused(cluster_world, operator)

    assert error == (
        f"media: Service media-adapter-nfs in namespace {operator.namespace} (owned by DittoServer/media), "
        f"Service media-adapter-smb in namespace {operator.namespace} (owned by DittoServer/media) exist "
        "already and this stack did not make them: nothing is touched; set adopt: true on the server to take "
        "them over (docs/migration.md), or give the server another name"
    )


def test_unknown_adapters(cluster_world: World, operator: OperatorMade) -> None:
    cluster_world.configure(server(operator, adapters={}))

    reasons = refused(cluster_world, operator)

    why = "the server has not told its adapters: make its API reachable (api.url), or pin the adapter"
    assert reasons == [
        f"media: Service media-adapter-{adapter} cannot be adopted: {why}" for adapter in ("nfs", "smb")
    ]


def test_an_object_that_is_on_its_way_out(cluster_world: World, operator: OperatorMade) -> None:
    operator.delete(NFS)
    cluster_world.configure(server(operator))

    (error,) = refused(cluster_world, operator)

    assert error == (
        "media: Service media-adapter-nfs cannot be adopted: it is being deleted, held by "
        "service.kubernetes.io/load-balancer-cleanup: see why it does not finish, then run again"
    )


def test_what_the_api_itself_refuses(cluster_world: World, operator: OperatorMade) -> None:
    operator.patch("api/v1:configmaps/media-config", {"immutable": True}, "kubectl-edit")
    cluster_world.configure(server(operator))

    (error,) = refused(cluster_world, operator)

    assert error.startswith("media: ConfigMap media-config cannot be adopted: the Kubernetes API at ")
    assert "field is immutable when `immutable` is set" in error


def test_a_cluster_that_gives_no_answer(cluster_world: World, operator: OperatorMade) -> None:
    nowhere = {"cluster": {"server": "https://127.0.0.1:1"}, "name": "nowhere"}
    context = {"context": {"cluster": "nowhere", "user": "nobody"}, "name": "nowhere"}
    kubeconfig = {
        "clusters": [nowhere],
        "contexts": [context],
        "users": [{"name": "nobody", "user": {"token": "t"}}],
        "current-context": "nowhere",
    }
    world = replace(cluster_world, provider_settings={"kubeconfig": yaml.safe_dump(kubeconfig)})
    world.configure(server(operator))

    (error,) = refused(world, operator)

    assert error.startswith(
        "existing objects cannot be adopted: no answer from the Kubernetes API at https://127.0.0.1:1"
    )


def test_a_server_of_which_nothing_is_there_is_an_ordinary_one(
    cluster_world: World, operator: OperatorMade
) -> None:
    cluster_world.configure({**server(operator, adopt=False), "name": "other"})

    assert cluster_world.preview().ok
