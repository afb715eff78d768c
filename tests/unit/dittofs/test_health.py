"""Whether there is a DittoFS API at an address, which is asked without a login."""

from dittoinfra.dittofs.health import HEALTH, check_health
from dittoinfra.model import Nonsense, Unreachable
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import access_to, silent_port


def test_a_server_is_asked_once_and_without_a_login(server: SimulatedDittoFS) -> None:
    assert check_health(access_to(server.url, password="not the password")) is None
    assert [request.path for request in server.requests] == [HEALTH]


def test_another_page_is_not_quoted(server: SimulatedDittoFS) -> None:
    server.answer_with(200, "<html>a private page</html>", path=HEALTH)

    found = check_health(access_to(server.url))

    assert isinstance(found, Nonsense)
    assert found.cause == f"{server.url}{HEALTH} is no DittoFS API: it answered HTTP 200"


def test_what_does_not_answer_is_unreachable() -> None:
    refused = check_health(access_to("http://127.0.0.1:1"))
    assert isinstance(refused, Unreachable)
    assert "/health: the connection was refused" in refused.why
    with silent_port() as port:
        silent = check_health(access_to(f"http://127.0.0.1:{port}", deadline=0.2))
    assert isinstance(silent, Unreachable)
    assert "gave no answer within 0.2" in silent.why
