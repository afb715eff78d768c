"""What only the simulated server can do: be told what to do next."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from lab.bed.credentials import credential
from lab.bed.dittofs import wait_until
from lab.simulator import Request, SimulatedDittoFS
from lab.simulator.versions import V0_27
from tests.contract.dittofs.subject import ADAPTERS, LOGIN, PORTS, assert_list, assert_plain, assert_problem


@pytest.fixture
def sim() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as server:
        yield server


@pytest.fixture
def client(sim: SimulatedDittoFS) -> Iterator[httpx.Client]:
    with logged_in(sim, "admin", sim.admin_password) as client:
        sim.forget_requests()
        yield client


@contextmanager
def logged_in(server: SimulatedDittoFS, username: str, password: str) -> Iterator[httpx.Client]:
    # Plain HTTP has nothing to verify, and loading the system's CAs costs more than a whole test.
    with httpx.Client(base_url=server.url, trust_env=False, verify=False) as client:
        answer = client.post(LOGIN, json={"username": username, "password": password})
        client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        yield client


def adapters(client: httpx.Client) -> dict[str, tuple[int, bool, bool]]:
    listed = assert_list(client.get(PORTS))
    return {each["type"]: (each["port"], each["enabled"], each["running"]) for each in listed}


def test_the_first_start_has_both_adapters(client: httpx.Client) -> None:
    assert adapters(client) == {"nfs": (12049, True, True), "smb": (1445, True, True)}


def test_a_script_sets_disables_and_removes_adapters(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.set_adapter("nfs", port=2049)
    sim.set_adapter("webdav", port=8081, running=False)
    sim.disable("smb")
    assert adapters(client) == {
        "nfs": (2049, True, True),
        "smb": (1445, False, False),
        "webdav": (8081, True, False),
    }

    sim.remove_adapter("nfs")
    assert adapters(client).keys() == {"smb", "webdav"}


def test_what_a_script_says_while_the_server_is_stopped_is_what_it_starts_with(
    sim: SimulatedDittoFS, client: httpx.Client
) -> None:
    sim.stop()
    sim.set_adapter("nfs", running=False)
    sim.remove_adapter("smb")
    sim.start()

    assert adapters(client) == {"nfs": (12049, True, False)}


def test_the_order_of_the_list_changes(client: httpx.Client) -> None:
    orders = {tuple(each["type"] for each in client.get(PORTS).json()) for _ in range(2)}

    assert orders == {("nfs", "smb"), ("smb", "nfs")}


def test_the_window_of_a_port_change_stays_open_until_it_is_released(
    sim: SimulatedDittoFS, client: httpx.Client
) -> None:
    sim.hold_restarts()
    with ThreadPoolExecutor(1) as pool:
        change = pool.submit(client.put, f"{ADAPTERS}/nfs", json={"port": 2049}, timeout=60)
        wait_until(lambda: sim.adapters["nfs"].port == 2049)

        assert adapters(client)["nfs"] == (2049, True, False)
        assert not change.done()

        sim.release_restarts()
        assert change.result().json()["running"] is True
    assert adapters(client)["nfs"] == (2049, True, True)


def test_stopping_does_not_wait_for_a_held_window(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.hold_restarts()
    with ThreadPoolExecutor(1) as pool:
        change = pool.submit(client.put, f"{ADAPTERS}/nfs", json={"port": 2049}, timeout=60)
        wait_until(lambda: sim.adapters["nfs"].port == 2049)

        sim.stop()

        # Whether the answer still gets out is a race, as with a real shutdown.
        error = change.exception(timeout=60)
        assert error is None or isinstance(error, httpx.TransportError)


def test_before_v0_28_the_ports_are_an_unknown_adapter() -> None:
    with SimulatedDittoFS(version=V0_27) as old:
        password = credential("operator")
        old.add_user("operator", password, "operator")

        with logged_in(old, "admin", old.admin_password) as admin:
            assert_problem(admin.get(PORTS), 404, "Not Found", "Adapter not found")
        with logged_in(old, "operator", password) as operator:
            assert_plain(operator.get(PORTS), 403, "Admin access required")
            assert len(assert_list(operator.get(ADAPTERS))) == 2


def test_a_token_can_be_born_expired() -> None:
    with SimulatedDittoFS(access_lifetime=-1) as sim, logged_in(sim, "admin", sim.admin_password) as client:
        assert_plain(client.get(PORTS), 401, "Invalid or expired token")


def test_an_account_can_be_made_to_change_its_password(sim: SimulatedDittoFS) -> None:
    password = credential("watcher")
    sim.add_user("watcher", password, must_change_password=True)

    with logged_in(sim, "watcher", password) as client:
        assert client.get(PORTS).status_code == 403


def test_a_disabled_account_keeps_its_token(sim: SimulatedDittoFS) -> None:
    password = credential("watcher")
    sim.add_user("watcher", password)
    with logged_in(sim, "watcher", password) as client:
        sim.disable_user("watcher")

        assert client.get(PORTS).status_code == 200
        assert client.post(LOGIN, json={"username": "watcher", "password": password}).status_code == 403


def test_a_stopped_server_refuses_and_comes_back_on_its_port(
    sim: SimulatedDittoFS, client: httpx.Client
) -> None:
    url = sim.url
    sim.stop()
    with pytest.raises(httpx.ConnectError):
        client.get("/health")

    sim.start()

    assert sim.url == url
    assert client.get(PORTS).status_code == 200


def test_a_port_can_be_asked_for(sim: SimulatedDittoFS) -> None:
    sim.stop()

    with SimulatedDittoFS(port=sim.port) as successor:
        assert successor.url == sim.url


def test_an_outage_hangs_up_until_all_is_normal(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.outage()
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            client.get("/health")

    sim.normal()

    assert client.get("/health").status_code == 200


def test_faults_follow_each_other_and_wear_off(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.answer_with(503, times=2)
    sim.answer_with(429, headers={"Retry-After": "1"}, times=1)

    answers = [client.get(PORTS) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [503, 503, 429, 200]
    assert answers[2].headers["retry-after"] == "1"


def test_a_fault_can_be_kept_to_one_path(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.answer_with(200, "<html>", "text/html", path=PORTS)

    nonsense = client.get(PORTS)

    assert (nonsense.text, nonsense.headers["content-type"]) == ("<html>", "text/html")
    assert client.get("/health").json()["status"] == "healthy"


def test_an_answer_can_be_cut_short(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    sim.answer_with(200, '[{"type"', headers={"Content-Length": "100"})

    with pytest.raises(httpx.RemoteProtocolError, match="received 8 bytes, expected 100"):
        client.get(PORTS)


def test_a_delay_outlasts_an_impatient_client_and_ends_with_the_server(
    sim: SimulatedDittoFS, client: httpx.Client
) -> None:
    sim.delay(3600, path=PORTS)
    with pytest.raises(httpx.ReadTimeout):
        client.get(PORTS, timeout=0.05)
    assert client.get("/health").status_code == 200

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get, PORTS, timeout=60)
        wait_until(lambda: sim.requests.count(("GET", PORTS)) == 2)
        sim.stop()

        assert isinstance(waiting.exception(timeout=60), httpx.TransportError)


def test_requests_are_recorded_in_order(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    client.get(PORTS, params={"ignored": 1})
    client.put(f"{ADAPTERS}/nfs", json={})
    sim.answer_with(500)
    client.get(PORTS)

    assert list(sim.requests) == [
        Request("GET", PORTS),
        Request("PUT", f"{ADAPTERS}/nfs"),
        Request("GET", PORTS),
    ]
    assert sim.requests.count(("GET", PORTS)) == 2
    sim.forget_requests()
    assert not sim.requests


def test_slow_requests_do_not_wait_for_each_other(sim: SimulatedDittoFS, client: httpx.Client) -> None:
    waiting = threading.Barrier(20, timeout=60)
    sim.delay(0.5)

    def ask(_: int) -> int:
        waiting.wait()
        return client.get("/health", timeout=60).status_code

    began = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(ask, range(20))) == {200}
    # One after the other they would take ten seconds.
    assert time.monotonic() - began < 5


def listening() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "simulated-dittofs"}


def test_a_hundred_servers_are_nothing_special() -> None:
    # A fixture of another test's may keep one of its own beside them.
    others = listening()
    with (
        ExitStack() as running,
        httpx.Client(trust_env=False, verify=False, timeout=60) as client,
        ThreadPoolExecutor(20) as pool,
    ):
        servers = [running.enter_context(SimulatedDittoFS()) for _ in range(100)]
        answers = pool.map(lambda server: client.get(f"{server.url}/health"), servers)
        assert {answer.status_code for answer in answers} == {200}
    assert listening() <= others
