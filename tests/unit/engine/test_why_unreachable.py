"""A machine without the internet finds out in seconds."""

import socket
import threading
from collections.abc import Iterator

import pytest

from dittoinfra.engine.installer import first_hop, why_unreachable

_PROXY_VARIABLES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    server = socket.create_server(("127.0.0.1", 0))
    with server:
        yield server


def _url(server: socket.socket) -> str:
    return f"https://127.0.0.1:{server.getsockname()[1]}/install.sh"


def test_a_host_that_accepts_connections_is_reachable(listener: socket.socket) -> None:
    assert why_unreachable(_url(listener)) is None


def test_a_refusal_is_told_at_once(closed_port: int) -> None:
    assert (
        why_unreachable(f"https://127.0.0.1:{closed_port}") == f"127.0.0.1:{closed_port}: Connection refused"
    )


def test_an_unknown_host_name_is_told() -> None:
    assert why_unreachable("https://installer.invalid") == "installer.invalid:443: Name or service not known"


def test_one_reachable_host_of_several_is_enough(listener: socket.socket, closed_port: int) -> None:
    assert why_unreachable(f"https://127.0.0.1:{closed_port}", _url(listener)) is None


def test_several_reasons_are_all_told(closed_port: int) -> None:
    answer = why_unreachable(f"https://127.0.0.1:{closed_port}", "https://installer.invalid")

    assert answer is not None
    assert set(answer.split("; ")) == {
        f"127.0.0.1:{closed_port}: Connection refused",
        "installer.invalid:443: Name or service not known",
    }


def test_silence_costs_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    # A resolver that never answers is the worst case: it takes no timeout at all.
    test_is_over = threading.Event()

    def stuck(*_: object, **__: object) -> socket.socket:
        test_is_over.wait()
        raise TimeoutError

    monkeypatch.setattr("socket.create_connection", stuck)
    try:
        answer = why_unreachable("https://silent.invalid", limit=0.2)
    finally:
        test_is_over.set()

    assert answer == "no answer within 0.2 s from silent.invalid:443"


def test_with_a_proxy_the_proxy_is_the_host_to_reach(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:secret@127.0.0.1:{listener.getsockname()[1]}")

    assert why_unreachable("https://installer.invalid") is None


@pytest.mark.parametrize(
    ("proxy", "bypass", "hop"),
    [
        ("http://proxy.test:3128", "", ("proxy.test", 3128)),
        ("proxy.test:3128", "", ("proxy.test", 3128)),
        ("https://proxy.test", "", ("proxy.test", 443)),
        ("http://proxy.test:3128", "host.test", ("host.test", 443)),
    ],
)
def test_the_first_hop_follows_the_proxy_settings(
    proxy: str, bypass: str, hop: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", bypass)

    assert first_hop("https://host.test/path") == hop
