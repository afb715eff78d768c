"""The portmapper of a server is seen and switched on, on the simulated server and on the real one."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dittoinfra.decide.exposure import PORTMAPPER_TARGET
from dittoinfra.dittofs import ApiAccess
from dittoinfra.dittofs.portmapper import Portmapper, SeenPortmapper, portmappers
from dittoinfra.model import Denied, Nonsense, Unreachable
from lab.bed.credentials import credential
from lab.bed.dfs import RealDittoFS
from lab.simulator import SimulatedDittoFS
from tests.dittofs_kinds import EVERY_KIND, DfsBinaries, Kind
from tests.unit.dittofs.bench import PASSWORD, USERNAME, access_to, raw_server, read_request


@pytest.fixture(params=EVERY_KIND, ids=str)
def admin(request: pytest.FixtureRequest, dfs_binaries: DfsBinaries, tmp_path: Path) -> Iterator[ApiAccess]:
    kind: Kind = request.param
    version = kind.version
    with (
        RealDittoFS(dfs_binaries(version), tmp_path)
        if kind.real
        else SimulatedDittoFS(version=version) as server
    ):
        yield access_to(server.url, username="admin", password=server.admin_password)


def asked(access: ApiAccess, *, switch_on: bool) -> object:
    return portmappers({"media": access}, 1, switch_on=switch_on)["media"]


def test_it_is_off_until_it_is_switched_on(admin: ApiAccess) -> None:
    assert asked(admin, switch_on=False) == SeenPortmapper(Portmapper.OFF, PORTMAPPER_TARGET)
    assert asked(admin, switch_on=False) == SeenPortmapper(Portmapper.OFF, PORTMAPPER_TARGET), (
        "nothing changed"
    )
    assert asked(admin, switch_on=True) == SeenPortmapper(Portmapper.SWITCHED_ON, PORTMAPPER_TARGET)
    assert asked(admin, switch_on=True) == SeenPortmapper(Portmapper.ON, PORTMAPPER_TARGET)


def test_a_plain_user_may_not_even_look(server: SimulatedDittoFS) -> None:
    access = access_to(server.url)

    assert isinstance(asked(access, switch_on=True), Denied)
    assert [request.method for request in server.requests if "settings" in request.path] == ["GET"]


def mute(connection: socket.socket) -> None:
    """Listen to a whole request, and say nothing."""
    read_request(connection)


def test_what_cannot_be_seen_is_an_outcome(server: SimulatedDittoFS) -> None:
    wrong = access_to(server.url, username=USERNAME, password=credential("wrong"))
    nowhere = access_to("http://127.0.0.1:1")
    with raw_server(mute) as url:
        silent = access_to(url, deadline=0.2)
        found = portmappers({"wrong": wrong, "nowhere": nowhere, "silent": silent}, 2, switch_on=True)

    assert isinstance(found["wrong"], Denied)
    assert isinstance(found["nowhere"], Unreachable)
    assert isinstance(found["silent"], Unreachable)
    assert PASSWORD not in str(found)


def test_an_answer_that_does_not_say_it_switches_nothing_on() -> None:
    with SimulatedDittoFS() as simulated:
        simulated.add_user(USERNAME, PASSWORD, role="admin")
        simulated.remove_adapter("nfs")
        access = access_to(simulated.url)

        assert isinstance(asked(access, switch_on=True), Nonsense)
