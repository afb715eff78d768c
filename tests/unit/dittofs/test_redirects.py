"""A redirect is followed inside the API's own origin, and nowhere else: our token goes with it."""

import pytest

from dittoinfra.model import Answered, Nonsense
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import access_to, asked, poll

PORTS = "/api/v1/adapters/ports"
LOGIN = "/api/v1/auth/login"


def test_a_whole_address_inside_the_origin_is_followed(server: SimulatedDittoFS) -> None:
    server.answer_with(302, headers={"Location": f"{server.url}/moved"}, path=PORTS)
    server.answer_with(200, "[]", path="/moved")

    assert poll(access_to(server.url)) == Answered(())


def test_redirects_end(server: SimulatedDittoFS) -> None:
    server.answer_with(302, headers={"Location": PORTS}, path=PORTS)

    outcome = poll(access_to(server.url))

    assert outcome == Nonsense(
        f"{server.url}{PORTS} answered HTTP 302, a redirect to '{PORTS}' that is not followed",
        "give the API's own address in api.url",
    )
    assert asked(server).count("GET adapters/ports") == 4


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/",
        "http://[",
        "http://h:port/",
        "ftp:x",
    ],
)
def test_a_redirect_that_leads_away_is_not_followed(server: SimulatedDittoFS, location: str) -> None:
    where = location.format(port=server.port)
    server.answer_with(302, headers={"Location": where}, path=PORTS)

    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Nonsense)
    assert f"a redirect to '{where}' that is not followed" in outcome.why
    assert asked(server) == ["POST auth/login", "GET adapters/ports"]


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_login_is_never_redirected(server: SimulatedDittoFS, status: int) -> None:
    server.answer_with(status, headers={"Location": "/elsewhere"}, path=LOGIN)

    assert isinstance(poll(access_to(server.url)), Nonsense)
    assert asked(server) == ["POST auth/login"]
