"""An API that only the cluster reaches is asked through the Kubernetes API."""

import asyncio
from collections.abc import Iterator

import anyio
import pytest

from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.portforward import open_port
from dittoinfra.model import Answered, Unreachable
from lab.bed.process import free_ports
from tests.unit.dittofs.bench import silent_port
from tests.unit.kubernetes.asking import ask, inside, inside_server
from tests.unit.kubernetes.conftest import Inhabited


def served(outcome: object) -> dict[str, int]:
    assert isinstance(outcome, Answered), outcome
    return {adapter.type: adapter.port for adapter in outcome.adapters if adapter.running}


def why(outcome: object) -> str:
    assert isinstance(outcome, Unreachable), outcome
    return outcome.why


def test_a_server_in_a_pod_tells_its_adapters(inhabited: Inhabited) -> None:
    media = inside_server("media", inhabited.namespace)

    outcomes = ask(inside(inhabited.kubeconfig), media)

    adapters = {name: each["port"] for name, each in inhabited.media.adapters().items()}
    assert served(outcomes["media"]) == adapters


def test_tls_goes_through_to_the_server(inhabited: Inhabited) -> None:
    secure = inside_server(
        "secure", inhabited.namespace, {"caBundle": str(inhabited.ca_file)}, scheme="https"
    )

    outcomes = ask(inside(inhabited.kubeconfig), secure)

    assert set(served(outcomes["secure"])) == {"nfs", "smb"}


@pytest.mark.parametrize(
    ("trusted", "name", "cause"),
    [
        (False, None, "name its authority in api.caBundle"),
        (True, "other.example.com", "other.example.com"),
    ],
)
def test_a_certificate_is_verified(trusted: bool, name: str | None, cause: str, inhabited: Inhabited) -> None:
    api = {"caBundle": str(inhabited.ca_file)} if trusted else {}
    forward = {"scheme": "https"} | ({"tlsName": name} if name else {})

    outcomes = ask(inside(inhabited.kubeconfig), inside_server("secure", inhabited.namespace, api, **forward))

    assert "TLS certificate verify failed" in why(outcomes["secure"])
    assert cause in why(outcomes["secure"])


def test_a_pod_is_found_behind_a_service(inhabited: Inhabited) -> None:
    namespace = inhabited.namespace
    inhabited.cluster.expose_pod(namespace, "front", {"app": "media-0"})

    outcomes = ask(
        inside(inhabited.kubeconfig),
        inside_server("media", namespace, target="service/front"),
        inside_server("other", namespace, target="service/{server}-nowhere"),
    )

    assert set(served(outcomes["media"])) == {"nfs", "smb"}
    assert "there is no Service other-nowhere with Pods in namespace" in why(outcomes["other"])


@pytest.fixture
def silent() -> Iterator[int]:
    with silent_port() as port:
        yield port


def test_many_are_asked_at_once_and_none_holds_up_the_others(inhabited: Inhabited, silent: int) -> None:
    cluster, namespace = inhabited.cluster, inhabited.namespace
    [unused] = free_ports(1)
    for name, port in (("silent-0", silent), ("broken-0", unused)):
        cluster.run_pod(namespace, name)
        cluster.forward(namespace, name, 8080, port)
    quick = {"deadline": "3s"}
    # They all log in to one server, which takes a processor's whole attention for each.
    patient = {"deadline": "60s", "requestTimeout": "50s"}
    good = [inside_server(f"good-{number}", namespace, patient, target="pod/media-0") for number in range(8)]

    outcomes = ask(
        inside(inhabited.kubeconfig),
        inside_server("silent", namespace, quick),
        inside_server("broken", namespace, quick),
        inside_server("absent", namespace),
        *good,
    )

    assert all(set(served(outcomes[server.name])) == {"nfs", "smb"} for server in good)
    assert "gave no answer within 3 s (api.deadline)" in why(outcomes["silent"])
    assert "broken-api" in why(outcomes["broken"])
    assert why(outcomes["absent"]) == (
        f"there is no Pod absent-0 in namespace {namespace}; deploy the server, or name its Pod in "
        "api.portForward.target"
    )


def test_a_port_without_a_listener_is_told(inhabited: Inhabited) -> None:
    cluster, namespace = inhabited.cluster, inhabited.namespace
    [unused] = free_ports(1)
    cluster.run_pod(namespace, "deaf-0")
    cluster.forward(namespace, "deaf-0", 8080, unused)

    async def listen() -> None:
        stream = await open_port(Cluster(inhabited.kubeconfig), namespace, "deaf-0", 8080)
        async with stream:
            await stream.receive()

    with pytest.raises(anyio.BrokenResourceError, match=r"^port 8080 of Pod deaf-0 does not answer \(.+\)$"):
        asyncio.run(listen())


def test_a_pod_that_does_not_run_yet_is_waited_for_until_the_deadline(inhabited: Inhabited) -> None:
    cluster, namespace = inhabited.cluster, inhabited.namespace
    pod = {
        "metadata": {"name": "pending-0"},
        "spec": {"containers": [{"name": "dittofs", "image": "dittofs"}], "nodeName": "no-such-node"},
    }
    with cluster.client() as client:
        client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod).raise_for_status()

    outcomes = ask(inside(inhabited.kubeconfig), inside_server("pending", namespace, {"deadline": "5s"}))

    assert why(outcomes["pending"]).startswith(f"Pod pending-0 in namespace {namespace} is Pending")


def test_a_cluster_that_does_not_answer_is_a_reason_not_an_end(inhabited: Inhabited) -> None:
    [unused] = free_ports(1)
    kubeconfig = inhabited.kubeconfig.replace(inhabited.cluster.url, f"https://127.0.0.1:{unused}")

    outcomes = ask(inside(kubeconfig), inside_server("media", inhabited.namespace, {"deadline": "5s"}))

    assert why(outcomes["media"]).startswith(
        f"no answer from the Kubernetes API at https://127.0.0.1:{unused} to GET"
    )


@pytest.mark.parametrize(
    ("kubeconfig", "cause"),
    [
        ("/no/such/file", "kubeconfig /no/such/file is not a file; "),
        ("{}\n", "kubeconfig content has no clusters; check kubernetes:kubeconfig"),
        (
            "{clusters: [], users: [], contexts: [], current-context: nowhere}\n",
            "no Kubernetes credentials: ",
        ),
    ],
)
def test_a_kubeconfig_that_leads_nowhere_is_a_reason_not_an_end(kubeconfig: str, cause: str) -> None:
    outcomes = ask(inside(kubeconfig), inside_server("media", "files"))

    assert why(outcomes["media"]).startswith(cause)
