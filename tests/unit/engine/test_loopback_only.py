"""No test can connect beyond loopback."""

import asyncio
import socket

import httpx
import pytest

from lab.bed.loopback_only import BeyondLoopbackError


def test_an_address_out_there_is_refused() -> None:
    with socket.socket() as client:
        with pytest.raises(BeyondLoopbackError, match=r"reached for '192\.0\.2\.1'"):
            client.connect(("192.0.2.1", 443))
        with pytest.raises(BeyondLoopbackError):
            client.connect_ex(("192.0.2.1", 443))


def test_a_name_out_there_is_not_even_looked_up() -> None:
    with pytest.raises(BeyondLoopbackError, match=r"reached for 'example\.com'"):
        socket.getaddrinfo("example.com", 443)


def test_the_http_client_does_not_take_it_for_an_outage() -> None:
    with pytest.raises(BeyondLoopbackError):
        httpx.get("http://192.0.2.1", trust_env=False)


def test_asynchronous_code_meets_the_same_wall() -> None:
    with pytest.raises(BeyondLoopbackError):
        asyncio.run(asyncio.open_connection("192.0.2.1", 443))


def test_a_lookup_that_must_fail_fails_as_it_does_in_the_wild() -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("server.invalid", 443)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_open(host: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection((host, server.getsockname()[1])) as connected,
    ):
        assert connected.getpeername() == server.getsockname()
