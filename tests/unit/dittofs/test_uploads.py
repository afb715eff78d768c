"""Uploads are drained before a restart, or the reason is known."""

import pytest

from dittoinfra.dittofs.uploads import DRAIN, drain
from dittoinfra.model import Denied, Nonsense, Unreachable
from lab.simulator import SimulatedDittoFS
from lab.simulator.script import Request
from tests.unit.dittofs.bench import access_to


def test_an_administrator_waits_for_them(server: SimulatedDittoFS) -> None:
    admin = access_to(server.url, username="admin", password=server.admin_password, request_timeout=0.1)
    server.delay(0.5, path=DRAIN)

    assert drain({"media": admin}, 60) == {"media": None}, "longer than other requests may take"
    assert server.requests.count(Request("POST", DRAIN)) == 1


def test_a_user_without_the_permission_is_told(server: SimulatedDittoFS) -> None:
    assert isinstance(drain({"media": access_to(server.url)}, 60)["media"], Denied)


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_not_done_is_not_done(server: SimulatedDittoFS, status: int) -> None:
    server.answer_with(status, '{"detail": "no upload attempt concluded"}', path=DRAIN)
    admin = access_to(server.url, username="admin", password=server.admin_password)

    assert isinstance(drain({"media": admin}, 60)["media"], Nonsense)


def test_patience_ends(server: SimulatedDittoFS) -> None:
    server.delay(60, path=DRAIN)
    admin = access_to(server.url, username="admin", password=server.admin_password)

    assert isinstance(drain({"media": admin}, 1)["media"], Unreachable)
    assert isinstance(drain({"media": access_to("http://127.0.0.1:1")}, 5)["media"], Unreachable)
