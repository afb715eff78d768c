"""`verify` with the real DittoFS server behind a stack's Services: all right, then one fault at a time."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.reports.verify_document import Hop
from dittoinfra.verify.verify_stack import TimeLimits, verify_adapters
from lab.bed.cluster import KubernetesCluster
from lab.bed.process import free_ports
from tests import ROOT
from tests.engine.verify.stage import POD, TIMEOUT, Stage, stage
from tests.unit.dittofs.bench import silent_port


@pytest.fixture(scope="module")
def shared(
    pulumi_cli: PulumiCommand,
    kubernetes_cluster: KubernetesCluster,
    dfs_binary: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with stage(pulumi_cli, kubernetes_cluster, dfs_binary, tmp_path_factory.mktemp("verify")) as fresh:
        yield fresh


@pytest.fixture
def serving(shared: Stage) -> Stage:
    """A stack whose adapters are served, whatever the test before has done."""
    shared.restore()
    return shared


def first_failure(stage: Stage, kind: str = "nfs") -> Hop:
    """The hop at which an adapter fails, named within the time that was promised."""
    began = time.monotonic()
    verdict = stage.verify(kind)
    assert time.monotonic() - began < TIMEOUT + 1.5
    assert verdict.failed is not None, verdict
    return verdict.failed


@contextmanager
def dropping_port() -> Iterator[int]:
    """A port at which connection attempts get no answer, as behind a firewall or a closed network policy.

    The kernel drops them while the queue of a listener is full.
    """
    with ExitStack() as life:
        listener = life.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = life.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_every_hop_of_a_served_adapter_is_right_and_the_state_stays_as_it_is(serving: Stage) -> None:
    before = serving.world.stack.export()

    verdicts = serving.verify_stack(timeout=10)

    nfs, smb = (serving.dfs.port_of(kind) for kind in ("nfs", "smb"))
    service = f"Service media-adapter-nfs in namespace {serving.namespace.name}"
    assert [(hop.state, hop.side, hop.hop, hop.where, hop.text) for hop in verdicts["nfs"].hops] == [
        (
            "ok",
            "inside",
            "service",
            service,
            f"LoadBalancer, selects the server's Pods, leads {nfs}/TCP to {nfs}",
        ),
        ("ok", "inside", "pods", service, f"ready behind it: {POD}"),
        (
            "ok",
            "inside",
            "policy",
            f"port {nfs}/TCP of Pod {POD}",
            "is open to everybody by NetworkPolicy media-adapter-nfs",
        ),
        ("ok", "inside", "port", f"port {nfs}/TCP of Pod {POD}", "takes connections"),
        ("ok", "inside", "protocol", f"port {nfs}/TCP of Pod {POD}", "speaks NFS 3 and 4"),
        ("ok", "outside", "address", service, "is found at 127.0.0.1"),
        ("ok", "outside", "port", f"127.0.0.1:{nfs}/TCP", "takes connections"),
        ("ok", "outside", "protocol", f"127.0.0.1:{nfs}/TCP", "speaks NFS 3 and 4"),
        ("ok", "outside", "name", "nfs.media.names.invalid", "leads to 127.0.0.1"),
    ]
    assert [(hop.side, hop.text) for hop in verdicts["smb"].hops if hop.hop == "protocol"] == [
        ("inside", "speaks SMB 3.1.1"),
        ("outside", "speaks SMB 3.1.1"),
    ]
    assert all(verdict.ok for verdict in verdicts.values())
    assert smb != nfs
    assert serving.world.stack.export() == before


def test_a_service_that_was_edited_to_lead_elsewhere(serving: Stage) -> None:
    port = serving.dfs.port_of("nfs")
    serving.edit_ports("nfs", targetPort=1)

    failed = first_failure(serving)

    assert (failed.side, failed.hop) == ("inside", "service")
    assert failed.text == f"its port adapter-nfs leads to 1, and the stack declared {port}"
    assert failed.next == "`dittoinfra up world` corrects it"


def test_a_server_that_listens_elsewhere(serving: Stage) -> None:
    [nothing] = free_ports(1)
    serving.forward({"nfs": nothing, "smb": serving.dfs.port_of("smb")})

    failed = first_failure(serving)

    assert (failed.side, failed.hop) == ("inside", "port")
    assert failed.text.startswith("refuses connections (")
    assert failed.next == "compare with the port that the server says: `dittoinfra adapters world`"


@pytest.mark.parametrize("kind", ["nfs", "smb"])
def test_an_adapter_that_moved_behind_a_stale_endpoint(serving: Stage, kind: str) -> None:
    old = serving.dfs.port_of(kind)
    with serving.moved(kind):
        failed = first_failure(serving, kind)

    assert (failed.side, failed.hop) == ("inside", "port")
    assert failed.where == f"port {old}/TCP of Pod {POD}"
    assert failed.text.startswith("refuses connections (")
    assert failed.next == "compare with the port that the server says: `dittoinfra adapters world`"
    assert serving.verify(kind).ok


def test_no_pod(serving: Stage) -> None:
    serving.remove_pod()

    failed = first_failure(serving)

    assert (failed.side, failed.hop) == ("inside", "pods")
    assert failed.text == "there is no Pod with app=dittofs-server,instance=media"
    assert "get statefulsets,pods --selector app=dittofs-server,instance=media" in str(failed.next)


def test_a_pod_that_is_not_ready(serving: Stage) -> None:
    serving.set_ready(False)

    failed = first_failure(serving)

    assert (failed.side, failed.hop) == ("inside", "pods")
    assert failed.text == f"no Pod behind it is ready: {POD}"
    assert failed.next == f"see why: `kubectl --namespace {serving.namespace.name} describe pod {POD}`"


def test_an_address_that_is_pending(serving: Stage) -> None:
    serving.set_address("nfs")

    failed = first_failure(serving)

    assert (failed.side, failed.hop) == ("outside", "address")
    assert failed.text == "the load balancer has given no address yet"
    assert "describe service media-adapter-nfs" in str(failed.next)


@pytest.mark.parametrize(
    ("addresses", "text"),
    [
        (("192.0.2.9",), "leads to 192.0.2.9, and the Service is at 127.0.0.1"),
        (("127.0.0.1", "192.0.2.9"), "leads to 127.0.0.1, 192.0.2.9, and the Service is at 127.0.0.1"),
        ((), "does not resolve on this machine: unknown name"),
    ],
)
def test_a_name_that_is_stale(serving: Stage, addresses: tuple[str, ...], text: str) -> None:
    serving.names["nfs.media.names.invalid"] = addresses

    failed = first_failure(serving)

    assert (failed.side, failed.hop, failed.where) == ("outside", "name", "nfs.media.names.invalid")
    assert failed.text == text
    assert failed.next == (
        "see that router-hosts runs, and what is known of the name: `dittoinfra hosts world`"
    )


@pytest.mark.parametrize("kind", ["nfs", "smb"])
def test_a_server_that_accepts_and_says_nothing(serving: Stage, kind: str) -> None:
    with silent_port() as silent:
        serving.forward({"nfs": silent, "smb": silent})

        failed = first_failure(serving, kind)

    assert (failed.side, failed.hop) == ("inside", "protocol")
    assert failed.text == "takes connections and says nothing within 3 s"
    assert failed.next == f"see the server's log: `kubectl --namespace {serving.namespace.name} logs {POD}`"


@pytest.mark.parametrize("kind", ["nfs", "smb"])
def test_another_service_on_that_port(serving: Stage, kind: str) -> None:
    serving.forward({"nfs": serving.dfs.port, "smb": serving.dfs.port})

    failed = first_failure(serving, kind)

    assert (failed.side, failed.hop) == ("inside", "protocol")
    assert failed.text.startswith(f"does not speak {kind.upper()}: it answers 'HTTP/1.1 400 Bad Request")


def test_a_load_balancer_that_leads_nowhere(serving: Stage) -> None:
    [nothing] = free_ports(1)
    serving.edit_ports("nfs", port=nothing)

    failed = first_failure(serving)

    assert (failed.side, failed.hop, failed.where) == ("outside", "port", f"127.0.0.1:{nothing}/TCP")
    assert failed.text == "refuses connections (connection refused)"


def test_a_firewall_that_drops_everything(serving: Stage) -> None:
    with dropping_port() as dropping:
        serving.edit_ports("nfs", port=dropping)

        failed = first_failure(serving)

    assert (failed.side, failed.hop, failed.where) == ("outside", "port", f"127.0.0.1:{dropping}/TCP")
    assert failed.text == "no answer to a connection attempt within 3 s"
    assert failed.next == "see that no firewall drops it"


@pytest.mark.parametrize(
    ("rule", "text", "next_step"),
    [
        (
            {"ports": [{"port": 1}]},
            "is closed to everybody by NetworkPolicy media-adapter-nfs, media-adapter-smb",
            "`dittoinfra up world` puts NetworkPolicy media-adapter-nfs right",
        ),
        (
            {"from": [{"podSelector": {"matchLabels": {"app": "backup"}}}]},
            "is open to Pods with app=backup of this namespace by NetworkPolicy media-adapter-nfs, and to no "
            "address outside the cluster",
            "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from",
        ),
        (
            {"from": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]},
            "is open to 192.0.2.0/24 by NetworkPolicy media-adapter-nfs; this machine is 127.0.0.1 (unless "
            "that is translated on the way), and gets no answer",
            "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from",
        ),
    ],
)
def test_a_closed_network_policy(serving: Stage, rule: dict[str, object], text: str, next_step: str) -> None:
    serving.edit_policy("nfs", rule)
    with dropping_port() as dropping:
        serving.edit_ports("nfs", port=dropping)

        failed = first_failure(serving)

    port = serving.dfs.port_of("nfs")
    assert (failed.side, failed.hop, failed.where) == ("inside", "policy", f"port {port}/TCP of Pod {POD}")
    assert (failed.text, failed.next) == (text, next_step)


def test_a_closed_network_policy_that_nothing_enforces(serving: Stage) -> None:
    serving.edit_policy("nfs")

    verdict = serving.verify("nfs")

    assert verdict.ok
    [policy] = [hop for hop in verdict.hops if hop.hop == "policy"]
    assert policy.state == "skipped"
    assert "and yet this machine reaches it" in policy.text


def test_a_node_port_is_asked_at_the_node_of_the_pod(serving: Stage) -> None:
    serving.namespace.merge(serving.service("smb"), {"spec": {"type": "NodePort"}})
    port = serving.namespace.services()["media-adapter-smb"]["spec"]["ports"][0]["nodePort"]

    failed = first_failure(serving, "smb")

    assert (failed.side, failed.hop, failed.where) == ("outside", "port", f"127.0.0.1:{port}/TCP")


def test_many_adapters_are_checked_side_by_side_each_with_its_own_deadline(serving: Stage) -> None:
    with silent_port() as silent:
        serving.forward({"nfs": silent, "smb": serving.dfs.port_of("smb")})
        began = time.monotonic()

        verdicts = serving.check(serving.targets * 8, limits=TimeLimits(timeout=6))

        assert time.monotonic() - began < 10
    assert {verdict.failed and verdict.failed.text for verdict in verdicts[::2]} == {
        "takes connections and says nothing within 6 s"
    }
    assert [verdict.failed for verdict in verdicts[1::2]] == [None] * 8


def test_what_fails_is_checked_again_for_as_long_as_one_is_willing_to_wait(serving: Stage) -> None:
    serving.set_address("nfs")
    asked = Event()

    def answer(name: str) -> tuple[str, ...]:
        # The first check of nfs has got so far, and so has read that its address is pending.
        if name.startswith("nfs."):
            asked.set()
        return serving.names[name]

    def balance() -> None:
        asked.wait()
        serving.set_address("nfs", "127.0.0.1")

    with ThreadPoolExecutor(1) as controller, connect(str(serving.cluster.kubeconfig)) as cluster:
        controller.submit(balance)
        limits = TimeLimits(TIMEOUT, wait=30)
        [nfs, smb] = verify_adapters(cluster, serving.targets, limits, answer)
        given_up = TimeLimits(TIMEOUT, wait=30, interrupted=lambda: True)
        serving.set_address("nfs")
        [pending, _] = verify_adapters(cluster, serving.targets, given_up, answer)

    assert (nfs.failed, smb.failed) == (None, None)
    assert pending.failed is not None


def test_the_role_for_it_allows_all_that_it_does(serving: Stage) -> None:
    role, _ = yaml.safe_load_all((ROOT / "deploy/kubernetes/roles/verify.yaml").read_text())
    allowed = serving.cluster.kubeconfig_with(serving.namespace.name, *role["rules"])
    unallowed = serving.cluster.kubeconfig_with(serving.namespace.name, *role["rules"][:2])

    nfs, smb = serving.check(serving.targets, allowed)
    assert nfs.ok, nfs
    assert smb.ok, smb
    [refused, _] = serving.check(serving.targets, unallowed)
    assert refused.failed is not None
    assert (refused.failed.side, refused.failed.hop, refused.failed.exit_code) == ("inside", "port", 3)
    assert "pods/portforward" in refused.failed.text
    [policy] = [hop for hop in refused.hops if hop.hop == "policy"]
    assert policy.state == "skipped"
    assert "may not list networkpolicies" in policy.text
    assert refused.failed.next == "allow it with the Role in deploy/kubernetes/roles/verify.yaml"

    serving.namespace.merge(serving.service("smb"), {"spec": {"type": "NodePort"}})
    [_, on_node] = serving.check(serving.targets, allowed)
    assert on_node.ok
    assert [(hop.hop, hop.state) for hop in on_node.hops if hop.side == "outside"] == [("address", "skipped")]
