"""The objects for the Pulumi Kubernetes Operator, as far as this project can know them."""

from dittoinfra.settings.configuration import load
from tests import ROOT
from tests.repository.manifests.documents import KUBERNETES, documents, objects

OBJECTS = {
    (o["kind"], o["metadata"]["name"]): o for o in documents(ROOT / "pipelines" / "operator" / "stack.yaml")
}
STACK = OBJECTS["Stack", "prod"]


def test_the_stack_is_never_made_by_the_operator() -> None:
    assert STACK["spec"]["useLocalStackOnly"] is True


def test_deleting_the_object_keeps_the_services() -> None:
    assert STACK["spec"]["destroyOnFinalize"] is False


def test_servers_are_asked_without_a_commit() -> None:
    assert STACK["spec"]["continueResyncOnCommitMatch"] is True
    assert STACK["spec"]["resyncFrequencySeconds"] >= 60


def test_a_refused_run_does_not_use_up_the_operator_s_attempts() -> None:
    [(key, value)] = STACK["spec"]["config"].items()

    assert load({key.removeprefix("dittoinfra:"): value}, ()).on_refusal == "hold"


def test_no_secret_stands_in_it() -> None:
    assert all(reference["type"] == "Secret" for reference in STACK["spec"]["envRefs"].values())


def test_it_runs_as_an_account_that_may_what_the_roles_say() -> None:
    account = STACK["spec"]["serviceAccountName"]
    assert ("ServiceAccount", account) in OBJECTS
    roles = {
        (o["kind"], o["metadata"]["name"])
        for _, o in objects(KUBERNETES / "roles")
        if o["kind"] in ("Role", "ClusterRole")
    }
    bound = [o for (kind, _), o in OBJECTS.items() if kind.endswith("RoleBinding")]
    for binding in bound:
        role = (binding["roleRef"]["kind"], binding["roleRef"]["name"])
        assert role in roles | {("ClusterRole", "system:auth-delegator")}
        assert [subject["name"] for subject in binding["subjects"]] == [account]
    assert len(bound) == 2


def test_the_image_is_the_one_of_the_watch() -> None:
    [deployment] = documents(KUBERNETES / "watch" / "deployment.yaml")
    [container] = deployment["spec"]["template"]["spec"]["containers"]

    assert STACK["spec"]["workspaceTemplate"]["spec"]["image"] == container["image"]


def test_the_program_comes_from_flux() -> None:
    source = STACK["spec"]["fluxSource"]["sourceRef"]

    assert OBJECTS[source["kind"], source["name"]]["apiVersion"] == source["apiVersion"]
