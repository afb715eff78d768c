"""What a probe and Prometheus find."""

import re
import socket
from collections import Counter
from contextlib import ExitStack

import httpx
import pytest

from dittoinfra import __version__
from dittoinfra.changes import Changes
from dittoinfra.model import Answered, State, Unreachable
from dittoinfra.watch import http_endpoints
from dittoinfra.watch.http_endpoints import Address, AddressError, Health, serve
from dittoinfra.watch.metrics import Metrics, StackMetrics

ANYWHERE = Address("127.0.0.1", 0)


def get(port: int, path: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9402", Address("127.0.0.1", 9402)),
        ("[::1]:9402", Address("::1", 9402)),
        (":9402", Address("0.0.0.0", 9402)),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert Address.parse(text) == address


@pytest.mark.parametrize("text", ["9402", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "example.com:80"])
def test_a_wrong_address_is_one_line(text: str) -> None:
    with pytest.raises(AddressError, match=r"to listen on; give it as 127\.0\.0\.1:9402, or '' for none$"):
        Address.parse(text)


def test_a_port_that_is_taken_is_one_line() -> None:
    with serve(ANYWHERE, Health(), Metrics()) as port:
        taken = f"cannot listen on 127.0.0.1:{port}: .*; choose another with --listen"
        with pytest.raises(AddressError, match=taken), serve(Address("127.0.0.1", port), Health(), Metrics()):
            pass


def test_a_watch_whose_loop_turns_is_healthy() -> None:
    with serve(ANYWHERE, Health(), Metrics()) as port:
        answer = get(port, "/healthz")
        assert (answer.status_code, answer.text) == (200, "ok\n")
        assert get(port, "/").status_code == 404


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ("STUCK_SECONDS", "the loop has not turned for 0 s\n"),
        ("LONGEST_RUN_SECONDS", "the run of prod has taken 0 minutes\n"),
    ],
)
def test_a_watch_that_is_stuck_is_not(monkeypatch: pytest.MonkeyPatch, limit: str, problem: str) -> None:
    monkeypatch.setattr(http_endpoints, limit, -1.0)
    health = Health()

    with health.running("prod"), serve(ANYWHERE, health, Metrics()) as port:
        answer = get(port, "/healthz")

    # A busy machine takes a second or two to answer.
    assert (answer.status_code, re.sub(r"\d+", "0", answer.text)) == (503, problem)


def test_idle_connections_do_not_keep_a_new_client_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_endpoints, "MOST_AT_ONCE", 4)
    # The standard library reads this limit from the class.
    monkeypatch.setattr(http_endpoints._QuietHandler, "timeout", 300.0)  # noqa: SLF001
    with serve(ANYWHERE, Health(), Metrics()) as port, ExitStack() as held:
        where = ("127.0.0.1", port)
        silent = [held.enter_context(socket.create_connection(where, timeout=30)) for _ in range(4)]
        assert get(port, "/healthz").text == "ok\n"

        # Who came first and said nothing had to go; the limit for a silent client is far away.
        assert silent[0].recv(1) == b""
        for one in silent[1:]:
            one.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            assert one.recv(65536).startswith(b"HTTP/1.0 200 OK")


def test_a_client_that_says_nothing_is_hung_up_on_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # The standard library reads this limit from the class.
    monkeypatch.setattr(http_endpoints._QuietHandler, "timeout", 0.05)  # noqa: SLF001
    with serve(ANYWHERE, Health(), Metrics()) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
            assert silent.recv(1) == b""
        assert get(port, "/healthz").text == "ok\n"

    assert capfd.readouterr().err == ""


def test_the_numbers_of_a_stack() -> None:
    metrics = Metrics()
    prod = StackMetrics(metrics, "prod")
    media = prod.server("media")
    media.polled(Answered(()), 0.0, Counter({State.SERVING: 2, State.ABSENT: 1}))
    media.answered_again()
    media.polled(Unreachable("x"), 30.0, Counter({State.KEPT: 3}))
    prod.server("gone").polled(Answered(()), 0.0, Counter())
    metrics.interval.set(1.5)
    prod.forget("gone")
    prod.ran("changed", Changes(create=2, delete=1), 0.0)
    prod.ran("failed", Changes(), 60.0)

    with serve(ANYWHERE, Health(), metrics) as port:
        shown = get(port, "/metrics").text

    for line in (
        f'dittoinfra_build_info{{version="{__version__}"}} 1.0',
        'dittoinfra_watch_polls_total{outcome="answered",server="media",stack="prod"} 2.0',
        "dittoinfra_watch_interval_seconds 1.5",
        'dittoinfra_watch_polls_total{outcome="unreachable",server="media",stack="prod"} 1.0',
        'dittoinfra_watch_backoff_seconds{server="media",stack="prod"} 30.0',
        'dittoinfra_watch_adapters{server="media",stack="prod",state="kept"} 3.0',
        'dittoinfra_watch_adapters{server="media",stack="prod",state="serving"} 0.0',
        'dittoinfra_watch_seconds_since_answer{server="media",stack="prod"} 0.',
        'dittoinfra_watch_updates_total{result="changed",stack="prod"} 1.0',
        'dittoinfra_watch_updates_total{result="failed",stack="prod"} 1.0',
        'dittoinfra_watch_retry_seconds{stack="prod"} 60.0',
        'dittoinfra_watch_resources_changed_total{operation="create",stack="prod"} 2.0',
        'dittoinfra_watch_resources_changed_total{operation="delete",stack="prod"} 1.0',
    ):
        assert line in shown
    assert "gone" not in shown
