"""Every fault of a server or the network ends in an outcome that names the cause."""

import gzip
import socket
import struct
import threading
import time

import pytest

from dittoinfra import __version__
from dittoinfra.dittofs.client import LOOKING, Backoff
from dittoinfra.dittofs.examine import examine
from dittoinfra.model import Answered, Nonsense, Outcome, Unreachable
from dittoinfra.settings.server import ApiSettings
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import IMPATIENT, access_to, asked, poll, raw_server, read_request

PORTS = "/api/v1/adapters/ports"
LOGIN = "/api/v1/auth/login"

LOGGED_IN = b'{"access_token":"a.b.c","refresh_token":"d.e.f","token_type":"Bearer","expires_in":900}'


def reply(body: bytes, *headers: bytes, status: bytes = b"200 OK", length: int | None = None) -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % (len(body) if length is None else length)]
    return b"\r\n".join([*lines, b"Connection: close", *headers]) + b"\r\n\r\n" + body


def why(outcome: Outcome) -> str:
    assert not isinstance(outcome, Answered)
    assert len(outcome.why) <= 300
    assert outcome.why.isprintable()
    return outcome.why


def unused_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


# The way there


def test_a_refused_connection() -> None:
    url = unused_address()

    assert poll(access_to(url, deadline=1.0)) == Unreachable(
        f"{url}{LOGIN}: the connection was refused", "check api.url and that the server is running"
    )


def test_a_refused_connection_at_every_address_of_a_name() -> None:
    url = unused_address().replace("127.0.0.1", "localhost")

    assert "the connection was refused" in why(poll(access_to(url, deadline=2.0)))


def test_a_refused_connection_is_tried_again_for_a_share_of_the_deadline() -> None:
    begin = time.monotonic()
    outcome = poll(access_to(unused_address(), deadline=8.0), IMPATIENT)

    assert "the connection was refused" in why(outcome)
    assert 1.5 < time.monotonic() - begin < 5.0


def test_a_server_that_is_down_costs_five_seconds_by_default() -> None:
    assert ApiSettings().deadline.total_seconds() * Backoff().refused == 5.0


def test_a_server_that_restarts_is_waited_for(server: SimulatedDittoFS) -> None:
    server.stop()
    started = threading.Timer(0.5, server.start)
    started.start()

    outcome = poll(access_to(server.url))
    started.join()

    assert isinstance(outcome, Answered)


def test_who_only_looks_is_told_at_once_of_a_refused_connection() -> None:
    access = access_to(unused_address(), deadline=60.0)

    begin = time.monotonic()
    outcomes = poll(access, LOOKING), examine(access).outcome

    assert all("the connection was refused" in why(outcome) for outcome in outcomes)
    assert time.monotonic() - begin < 10.0


def test_who_only_looks_still_waits_out_an_outage(server: SimulatedDittoFS) -> None:
    server.outage(times=1)

    assert isinstance(poll(access_to(server.url), LOOKING), Answered)


def test_an_unknown_host_name() -> None:
    assert poll(access_to("http://nobody.invalid:8080", deadline=1.0)) == Unreachable(
        f"http://nobody.invalid:8080{LOGIN}: the host name cannot be resolved", "check api.url"
    )


@pytest.mark.parametrize("url", ["http://[::bad", f"http://{'a' * 70}.invalid", "http://ä=.invalid"])
def test_an_address_that_is_none(url: str) -> None:
    outcome = poll(access_to(url, deadline=1.0))

    assert isinstance(outcome, Unreachable)
    assert why(outcome).endswith("check api.url")


def test_a_reset_connection() -> None:
    def reset(connection: socket.socket) -> None:
        read_request(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with raw_server(reset) as url:
        outcome = poll(access_to(url, deadline=1.0))

    assert outcome == Unreachable(
        f"{url}{LOGIN}: the connection was reset", "check api.url and that the server is running"
    )


def test_a_connection_closed_without_a_word(server: SimulatedDittoFS) -> None:
    server.outage()

    assert poll(access_to(server.url, deadline=1.0)) == Unreachable(
        f"{server.url}{LOGIN}: the connection was closed without an answer",
        "check api.url and that the server is running",
    )
    assert len(server.requests) > 1


def test_an_outage_shorter_than_the_deadline_is_not_noticed(server: SimulatedDittoFS) -> None:
    server.outage(times=3)

    assert isinstance(poll(access_to(server.url)), Answered)


def test_a_configured_proxy_is_used_and_named() -> None:
    requests: list[bytes] = []

    def proxy(connection: socket.socket) -> None:
        requests.append(read_request(connection))
        connection.sendall(reply(b"", status=b"502 Bad Gateway"))

    with raw_server(proxy) as proxy_url:
        outcome = poll(access_to("http://dittofs.invalid", proxy=proxy_url, deadline=1.0))

    assert requests[0].startswith(f"POST http://dittofs.invalid{LOGIN} HTTP/1.1".encode())
    assert outcome == Unreachable(
        f"http://dittofs.invalid{LOGIN} through {proxy_url} answered HTTP 502", "check the server's log"
    )


def test_a_proxy_that_does_not_connect() -> None:
    def proxy(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(reply(b"", status=b"407 Proxy Authentication Required"))

    with raw_server(proxy) as proxy_url:
        outcome = poll(access_to("https://dittofs.invalid", proxy=proxy_url, deadline=1.0))

    assert outcome == Unreachable(
        f"https://dittofs.invalid{LOGIN} through {proxy_url}: the proxy did not connect us", "check api.proxy"
    )


# Slow servers


def test_a_silent_server_is_given_up_at_the_deadline(server: SimulatedDittoFS) -> None:
    server.delay(30)

    assert poll(access_to(server.url, deadline=0.3, request_timeout=5.0)) == Unreachable(
        f"{server.url} gave no answer within 0.3 s (api.deadline)", "check the server and the way to it"
    )


def test_a_slow_request_is_tried_again(server: SimulatedDittoFS) -> None:
    server.delay(30, path=LOGIN)

    assert poll(access_to(server.url, deadline=1.0, request_timeout=0.2)) == Unreachable(
        f"{server.url}{LOGIN} gave no whole answer within 0.2 s (api.requestTimeout)",
        "check the server and the way to it",
    )
    assert len(server.requests) > 1


# Answers that are none


@pytest.mark.parametrize("status", [500, 599])
def test_a_server_error_is_tried_again_until_the_deadline(server: SimulatedDittoFS, status: int) -> None:
    server.answer_with(status, "request 8f2a failed", "text/plain", path=PORTS)

    assert poll(access_to(server.url, deadline=1.0)) == Unreachable(
        f"{server.url}{PORTS} answered HTTP {status}", "check the server's log"
    )
    assert asked(server).count("GET adapters/ports") > 1
    assert asked(server).count("POST auth/login") == 1


def test_a_passing_server_error_is_not_noticed(server: SimulatedDittoFS) -> None:
    server.answer_with(503, path=LOGIN, times=2)
    server.answer_with(500, path=PORTS, times=2)

    assert isinstance(poll(access_to(server.url)), Answered)


def test_too_many_requests_are_tried_again(server: SimulatedDittoFS) -> None:
    server.answer_with(429, path=PORTS, times=2)

    assert isinstance(poll(access_to(server.url)), Answered)


def test_retry_after_is_honoured(server: SimulatedDittoFS) -> None:
    server.answer_with(429, headers={"Retry-After": "1"}, path=PORTS, times=1)
    began = time.monotonic()

    assert isinstance(poll(access_to(server.url)), Answered)
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("asks", ["3600", "9" * 5000, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_retry_after_beyond_the_deadline_ends_the_poll_at_once(server: SimulatedDittoFS, asks: str) -> None:
    server.answer_with(503, headers={"Retry-After": asks}, path=PORTS)

    assert poll(access_to(server.url)) == Unreachable(
        f"{server.url}{PORTS} answered HTTP 503 and asks to retry after more than 20 s (api.deadline)",
        "run again later",
    )
    assert asked(server).count("GET adapters/ports") == 1


@pytest.mark.parametrize("asks", ["-1", "soon", "Mon, 04 May 1998 12:00:00 GMT"])
def test_a_meaningless_retry_after_changes_nothing(server: SimulatedDittoFS, asks: str) -> None:
    server.answer_with(503, headers={"Retry-After": asks}, path=PORTS, times=1)

    assert isinstance(poll(access_to(server.url)), Answered)


@pytest.mark.parametrize("status", [201, 300, 410])
def test_an_unexpected_status_is_nonsense(server: SimulatedDittoFS, status: int) -> None:
    server.answer_with(status, path=PORTS)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{PORTS} answered HTTP {status}", "check that api.url leads to a DittoFS API"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("null", "is not a list: null"),
        ("<html>", "is not JSON from character 0 on: '<html>'"),
    ],
)
def test_nonsense_is_quoted(server: SimulatedDittoFS, body: str, reason: str) -> None:
    server.answer_with(200, body, path=PORTS)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{PORTS}: the answer {reason}", "check that api.url leads to a DittoFS API, and its log"
    )


def test_a_truncated_answer_is_nonsense_in_the_end(server: SimulatedDittoFS) -> None:
    server.answer_with(200, "[]", headers={"Content-Length": "500"}, path=PORTS)

    assert poll(access_to(server.url, deadline=1.0)) == Nonsense(
        f"{server.url}{PORTS} broke off in the middle of its answer", "check the server's log"
    )
    assert asked(server).count("GET adapters/ports") > 1


def test_an_endless_answer_is_cut(server: SimulatedDittoFS) -> None:
    server.answer_with(200, b"[" + b" " * 1024 * 1024 + b"]", path=PORTS)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{PORTS} answered with more than 1024 KiB", "check that api.url leads to a DittoFS API"
    )


def test_the_largest_answer_is_read(server: SimulatedDittoFS) -> None:
    server.answer_with(200, b"[" + b" " * (1024 * 1024 - 2) + b"]", path=PORTS)

    assert poll(access_to(server.url)) == Answered(())


def test_a_compressed_answer_is_not_unpacked(server: SimulatedDittoFS) -> None:
    server.answer_with(200, gzip.compress(b"[]"), headers={"Content-Encoding": "gzip"}, path=PORTS)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{PORTS} answered encoded as 'gzip', which was not asked for",
        "check what stands between us and the server",
    )


# Our side


def test_requests_say_who_asks_and_take_no_encoding() -> None:
    requests: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        requests.append(read_request(connection))
        connection.sendall(reply(LOGGED_IN if requests[-1].startswith(b"POST") else b"[]"))

    with raw_server(answer) as url:
        assert poll(access_to(url)) == Answered(())

    for request in requests:
        headers = request.partition(b"\r\n\r\n")[0].split(b"\r\n")
        assert f"User-Agent: dittoinfra/{__version__}".encode() in headers
        assert b"Accept-Encoding: identity" in headers


def test_identical_runs_say_identical_words(server: SimulatedDittoFS) -> None:
    server.answer_with(503, "at 12:00:01", "text/plain", path=PORTS)

    said = {
        why(poll(access_to(server.url, deadline=1.0), Backoff(first=0.01, longest=0.05))) for _ in range(5)
    }

    assert len(said) == 1


def test_a_line_stays_short_whatever_is_in_it(server: SimulatedDittoFS) -> None:
    server.answer_with(403, "x" * 100_000, "text/plain")
    access = access_to(f"{server.url}/{'p' * 2000}", username="u" * 500)

    said = why(poll(access, IMPATIENT))

    assert "HTTP 403" in said
    assert said.endswith("is enabled there")
