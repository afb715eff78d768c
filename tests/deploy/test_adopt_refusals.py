"""When nothing is adopted, and nothing is touched."""

from dataclasses import replace

import pytest
import yaml

from dittoinfra.automation import RunReport
from tests.deploy.operator_made import NFS, OperatorMade
from tests.deploy.test_adopt import PERMISSIONS, PINNED, adopting, operator, permitted, server, versions
from tests.e2e.world import World

__all__ = ["adopting", "operator"]


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


def test_claims_that_kubernetes_does_not_let_change(adopting: World, operator: OperatorMade) -> None:
    adopting.configure(server(operator, deploy={"storage": {"metadata": {"size": "20Gi"}}}))

    (error,) = refused(adopting, operator)

    assert error == (
        "media: StatefulSet media cannot be adopted: deploy.storage.metadata.size is 10Gi there and 20Gi "
        "here, which Kubernetes does not let change: write here what is there"
    )


def test_a_provider_without_the_permission(cluster_world: World, operator: OperatorMade) -> None:
    cluster_world.configure(server(operator))

    (error,) = refused(cluster_world, operator)

    assert error == (
        "media: 6 objects exist already and are to be adopted, which the Kubernetes provider does only when "
        "told to: run `pulumi config set kubernetes:upsertExistingObjects true` and `pulumi config set "
        "kubernetes:enablePatchForce true`, and take it back after the adopting run"
    )


def test_the_permission_may_come_from_the_environment(cluster_world: World, operator: OperatorMade) -> None:
    variables = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true", "PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
    environment = {**cluster_world.provider_environment, **variables}
    world = replace(cluster_world, provider_environment=environment)
    world.configure(server(operator))

    assert any("adopted" in line for line in world.preview().lines("warning"))


def test_a_server_that_does_not_say_so_is_guarded_from_such_a_provider(
    adopting: World, operator: OperatorMade
) -> None:
    adopting.configure({"name": "media", "namespace": operator.namespace, "adapters": PINNED})

    (error,) = refused(adopting, operator)

    assert error == (
        "media: Service media-adapter-nfs, Service media-adapter-smb exist already and are not this stack's; "
        "set adopt: true on the server to take them over, or name the server otherwise"
    )


def test_adapters_that_nobody_knows(adopting: World, operator: OperatorMade) -> None:
    adopting.configure(server(operator, adapters={}))

    reasons = refused(adopting, operator)

    why = "the server has not told its adapters: make its API reachable (api.url), or pin the adapter"
    assert reasons == [
        f"media: Service media-adapter-{adapter} cannot be adopted: {why}" for adapter in ("nfs", "smb")
    ]


def test_an_object_that_is_on_its_way_out(adopting: World, operator: OperatorMade) -> None:
    operator.delete(NFS)
    adopting.configure(server(operator))

    (error,) = refused(adopting, operator)

    assert error == (
        "media: Service media-adapter-nfs cannot be adopted: it is being deleted, held by "
        "service.kubernetes.io/load-balancer-cleanup: see why it does not finish, then run again"
    )


def test_what_the_api_itself_refuses(adopting: World, operator: OperatorMade) -> None:
    operator.patch("api/v1:configmaps/media-config", {"immutable": True}, "kubectl-edit")
    adopting.configure(server(operator))

    (error,) = refused(adopting, operator)

    assert error.startswith("media: ConfigMap media-config cannot be adopted: the Kubernetes API at ")
    assert "field is immutable when `immutable` is set" in error


@pytest.mark.parametrize("permissions", [PERMISSIONS, {}])
def test_a_cluster_that_gives_no_answer(
    adopting: World, operator: OperatorMade, permissions: dict[str, str]
) -> None:
    nowhere = {"cluster": {"server": "https://127.0.0.1:1"}, "name": "nowhere"}
    context = {"context": {"cluster": "nowhere", "user": "nobody"}, "name": "nowhere"}
    kubeconfig = {
        "clusters": [nowhere],
        "contexts": [context],
        "users": [{"name": "nobody", "user": {"token": "t"}}],
        "current-context": "nowhere",
    }
    settings = {"kubeconfig": yaml.safe_dump(kubeconfig), **permissions}
    world = replace(adopting, provider_settings=settings)
    world.configure(server(operator))

    (error,) = refused(world, operator)

    assert error.startswith(
        "existing objects cannot be adopted: no answer from the Kubernetes API at https://127.0.0.1:1"
    )


def test_permission_and_nothing_there_is_an_ordinary_run(adopting: World, operator: OperatorMade) -> None:
    adopting.configure({**server(operator, adopt=False), "name": "other"})

    assert permitted(adopting).preview().ok
