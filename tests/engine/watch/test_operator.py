"""`watch --operator`: another engine runs the stacks, and the watch says when.

The Kubernetes API is real. The Pulumi Kubernetes Operator cannot be had here, nor can its definition of
`Stack`: the definition below is our own and has what the watch reads and writes, and `StandInOperator` does
with it what version 2.9 of the operator does, as far as its source tells: a new value of the annotation makes
one run, and the status then has that value, the update's name and the result.
"""

import itertools
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.dittofs import wait_until
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore
from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import adapters
from tests.engine.namespace import Namespace
from tests.engine.watch.command import SECONDS, Watching
from tests.repository.manifests.cluster import Powers

REQUEST = "pulumi.com/reconciliation-request"
STACK = "apis/pulumi.com/v1:stacks/prod"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture
def stack_kind(kubernetes_client: httpx.Client) -> None:
    """The API serves `Stack`; other tests may have made it, and may still need it."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {"spec": ANYTHING, "status": ANYTHING}}
        },
    }
    names = {"kind": "Stack", "plural": "stacks", "singular": "stack"}
    made = kubernetes_client.post(
        DEFINITIONS,
        json={
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "stacks.pulumi.com"},
            "spec": {"group": "pulumi.com", "scope": "Namespaced", "names": names, "versions": [version]},
        },
    )
    assert made.is_success or made.status_code == httpx.codes.CONFLICT, made.text
    wait_until(lambda: kubernetes_client.get("/apis/pulumi.com/v1/stacks").is_success)


class StandInOperator:
    """Runs a stack when its object asks for it, on the real engine."""

    def __init__(self, project: Fleet, namespace: Namespace, client: httpx.Client) -> None:
        self._project, self._namespace, self._client = project, namespace, client
        self._numbers = itertools.count(1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.requests: list[str] = []
        """The annotation's values that it has run for."""
        self.fails = threading.Event()
        """While set, no run succeeds."""
        self.idles = threading.Event()
        """While set, every run succeeds and changes nothing, as one that is held."""
        spec = {"stack": "prod", "continueResyncOnCommitMatch": True}
        body = {"apiVersion": "pulumi.com/v1", "kind": "Stack", "metadata": {"name": "prod"}, "spec": spec}
        namespace.create("apis/pulumi.com/v1:stacks", body)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(SECONDS)

    def _work(self) -> None:
        while not self._stop.wait(0.05):
            found = self._namespace.get(STACK)
            request = found["metadata"].get("annotations", {}).get(REQUEST)
            last = found.get("status", {}).get("lastUpdate", {})
            if request is not None and request != last.get("reconcileRequest"):
                self._finish(request, self._run())
                self.requests.append(request)

    def _run(self) -> dict[str, str]:
        if self.fails.is_set():
            return {"state": "failed", "message": "exit status 255: no such bucket"}
        if self.idles.is_set():
            return {"state": "succeeded"}
        report = self._project.stack("prod").up()
        assert report.ok, report.lines("error")
        return {"state": "succeeded"}

    def give_up(self, reason: str) -> None:
        """Updates of its own have failed so often that it runs the stack no more."""
        stalled = {"type": "Stalled", "status": "True", "reason": reason, "message": "no such bucket"}
        found = self._namespace.get(STACK)
        request = found["metadata"].get("annotations", {}).get(REQUEST)
        self._finish(request, {"state": "failed", "message": "no such bucket"}, [stalled])

    def _finish(
        self, request: str | None, result: dict[str, str], conditions: Sequence[dict[str, str]] = ()
    ) -> None:
        last = {"name": f"prod-{next(self._numbers)}", "reconcileRequest": request, **result}
        self._client.patch(
            f"/apis/pulumi.com/v1/namespaces/{self._namespace.name}/stacks/prod/status",
            json={"status": {"lastUpdate": last, "conditions": list(conditions)}},
            headers={"Content-Type": "application/merge-patch+json"},
        ).raise_for_status()


@pytest.fixture
def project(
    pulumi_cli: PulumiCommand,
    kubernetes_api: KubernetesApi,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Fleet]:
    """A project with the stack `prod`, after the operator's own first run; watched as an administrator."""
    monkeypatch.setenv("KUBECONFIG", str(kubernetes_api.kubeconfig))
    with fleet(tmp_path_factory.mktemp("project"), pulumi_cli) as made:
        made.add_stack("prod")
        made.render("prod")
        assert made.stack("prod").up().ok
        yield made


@pytest.fixture
def operator(
    project: Fleet, namespace: Namespace, kubernetes_client: httpx.Client, stack_kind: None
) -> Iterator[StandInOperator]:
    """Runs the stack `prod` of the project."""
    with StandInOperator(project, namespace, kubernetes_client) as running:
        yield running


def port(project: Fleet) -> Any:  # noqa: ANN401 - a number, or nothing yet
    return project.services("prod")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"]


def test_the_operator_is_asked_when_adapters_change_and_asked_again_when_its_run_fails(
    project: Fleet,
    operator: StandInOperator,
    namespace: Namespace,
    kubernetes_api: KubernetesApi,
    kubernetes_client: httpx.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    powers = Powers(kubernetes_client, namespace.name, ["ask-operator"])
    monkeypatch.setenv("KUBECONFIG", str(powers.kubeconfig(kubernetes_api, tmp_path / "kubeconfig")))
    flags = ("prod", "--no-initial", "--operator", namespace.name)
    with Watching(project, *flags) as watching:
        watching.until(lambda: "followed from here on" in watching.said("started", "prod"))
        assert operator.requests == []

        project.server("prod").set_adapter("nfs", port=13049)
        watching.until_said("updated")
        assert port(project) == 13049
        assert watching.said("updated") == ["up to date: run by the operator"]
        assert len(operator.requests) == 1

        project.server("prod").set_adapter("smb", port=12445)
        watching.until_said("updated", 2)
        project.server("prod").disable("smb")
        watching.until_said("updated", 3)
        assert watching.said("removing") == ["media/smb is disabled: its Service is removed"]
        assert watching.said("removed") == ["removed media/smb (disabled)"]

        operator.fails.set()
        project.server("prod").set_adapter("nfs", port=14049)
        watching.until_said("failed")
        place = f"Stack {namespace.name}/prod"
        assert watching.said("failed") == [
            f"the operator's run of {place} failed: exit status 255: no such bucket"
        ]
        # A request of its own for each attempt: the operator gives up on a stack, not on a request.
        watching.until(lambda: len(operator.requests) > 5)
        operator.fails.clear()
        watching.until_said("updated", 4)
        assert port(project) == 14049
        assert len(set(operator.requests)) == len(operator.requests)

        with powers.without("ask-operator", "stacks", "patch"):
            project.server("prod").set_adapter("nfs", port=15049)
            watching.until_said("failed", 2)
        assert (
            f"{place} cannot be asked for a run: user system:serviceaccount:" in (watching.said("failed")[1])
        )
        watching.until_said("updated", 5)
        assert port(project) == 15049


def test_a_run_without_effect_counts_as_failed_and_is_asked_for_again_like_one(
    project: Fleet, operator: StandInOperator, namespace: Namespace
) -> None:
    with Watching(project, "prod", "--no-initial", "--operator", namespace.name) as watching:
        watching.until_said("started")
        operator.idles.set()
        project.server("prod").set_adapter("nfs", port=13049)
        watching.until(lambda: len(operator.requests) > 1)

        assert watching.said("updated") == []
        assert watching.said("failed") == [
            f"Stack {namespace.name}/prod was run, and its state does not show that media/nfs moved from "
            "port 12049 to 13049: see the log of its workspace, where the run was held (onRefusal: hold) "
            "or the server did not answer"
        ]
        operator.idles.clear()
        watching.until_said("updated")
        assert port(project) == 13049


def test_a_run_is_asked_for_by_the_clock_while_it_leaves_an_adapter_out(
    pulumi_cli: PulumiCommand,
    namespace: Namespace,
    server_namespace: ServerNamespace,
    kubernetes_api: KubernetesApi,
    kubernetes_client: httpx.Client,
    stack_kind: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubernetes_api.kubeconfig))
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        fleet(tmp_path, pulumi_cli, store=ApiStore(cluster)) as project,
    ):
        project.add_stack("prod", {**project.block("prod"), "namespace": server_namespace.name})
        project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})
        assert project.stack("prod").up().ok
        server_namespace.add_service("media-adapter-smb")
        project.server("prod").set_adapter("smb", port=12445)
        with (
            StandInOperator(project, namespace, kubernetes_client) as operator,
            Watching(project, "prod", "--no-initial", "--operator", namespace.name) as watching,
        ):
            watching.until(lambda: len(operator.requests) >= 2)
            assert watching.said("changed") == []
            server_namespace.delete_service("media-adapter-smb")
            watching.until(lambda: "media-adapter-smb" in adapters(server_namespace))
            watching.until(lambda: len(watching.said("updated")) == len(operator.requests))
            assert watching.said("failed") == []


def test_a_stack_that_the_operator_has_given_up_on_is_asked_for_until_it_runs(
    project: Fleet, operator: StandInOperator, namespace: Namespace
) -> None:
    with Watching(project, "prod", "--no-initial", "--operator", namespace.name) as watching:
        watching.until(lambda: "followed from here on" in watching.said("started", "prod"))
        operator.fails.set()
        operator.give_up("UpdateFailed")

        watching.until(lambda: len(operator.requests) > 2)
        operator.fails.clear()
        watching.until_said("updated")

        assert watching.said("warned") == [
            f"Stack {namespace.name}/prod is Stalled after failed updates: asked for another run"
        ]
        assert watching.said("failed") == [
            f"the operator's run of Stack {namespace.name}/prod failed: exit status 255: no such bucket"
        ]
        asked = len(operator.requests)
        operator.give_up("SpecInvalid")
        project.server("prod").set_adapter("nfs", port=13049)
        watching.until_said("updated", 2)
        assert len(operator.requests) == asked + 1, "only for the adapter: no run helps an invalid spec"


def test_what_would_be_refused_is_told_and_not_asked_for(
    project: Fleet, operator: StandInOperator, namespace: Namespace
) -> None:
    with Watching(project, "prod", "--operator", f"{namespace.name}/prod") as watching:
        watching.until_said("updated")
        assert len(operator.requests) == 1, "the first thing is a run"

        project.add_stack("prod", project.block("prod", namespace="elsewhere"))
        project.render("prod")
        watching.until_said("failed")

    assert "media/nfs (moved)" in watching.said("failed")[0]
    assert len(operator.requests) == 1


def test_an_object_that_does_not_exist_is_told(project: Fleet) -> None:
    with Watching(project, "prod", "--operator", "default/other") as watching:
        watching.until_said("failed")

    assert watching.said("failed") == [
        "Stack default/other cannot be asked for a run: it does not exist; "
        "check --operator, and that the operator is installed"
    ]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("/prod", "must be a namespace, or NAMESPACE/NAME for one stack"),
        ("infra/prod/1", "must be a namespace, or NAMESPACE/NAME for one stack"),
        ("infra/prod", "names one `Stack` object, and 2 stacks are watched"),
    ],
)
def test_a_wrong_name_is_refused_at_once(
    pulumi_cli: PulumiCommand, tmp_path: Path, given: str, why: str
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stacks("prod", "test")
        done = project.run("watch", "--all", "--operator", given)

    assert done.returncode == 2
    assert f"--operator {given}: {why}" in done.stderr
