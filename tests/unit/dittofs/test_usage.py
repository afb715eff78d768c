"""Who uses a server, asked on the simulated server and on the real one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dittoinfra.adapter_usage import Usage, UsageAnswer
from dittoinfra.dittofs import ApiAccess
from dittoinfra.dittofs.usage import CLIENTS, HANDLES, MOUNTS, usages
from dittoinfra.model import Denied, Nonsense, Unreachable
from lab.bed.dfs import RealDittoFS
from lab.bed.dittofs import DittoFSServer, wait_until
from lab.bed.simulated import SimulatedServer
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import access_to

Connect = Callable[[DittoFSServer], AbstractContextManager[None]]


def asked(access: ApiAccess) -> UsageAnswer:
    return usages({"media": access}, 1)["media"]


@pytest.fixture(params=["simulated", "real"])
def dfs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DittoFSServer]:
    real = request.param == "real"
    with (
        RealDittoFS(request.getfixturevalue("dfs_binary"), tmp_path) if real else SimulatedServer()
    ) as running:
        yield running


@pytest.mark.parametrize(
    ("connect", "counted"),
    [
        (lambda dfs: dfs.nfs_mount(), {"nfs": Usage(clients=1, mounts=1)}),
        (lambda dfs: dfs.smb_session(), {"smb": Usage(clients=1)}),
        (lambda dfs: dfs.lost_smb_file(), {"smb": Usage(handles=1)}),
    ],
    ids=["nfs mount", "smb session", "lost smb file"],
)
def test_a_client_counts_until_it_leaves(
    dfs: DittoFSServer, connect: Connect, counted: Mapping[str, Usage]
) -> None:
    access = access_to(dfs.url, username="admin", password=dfs.admin_password)
    assert asked(access) == {}

    with connect(dfs):
        assert asked(access) == counted

    wait_until(lambda: asked(access) == {})


def test_clients_are_counted_by_protocol(server: SimulatedDittoFS) -> None:
    access = access_to(server.url, username="admin", password=server.admin_password)

    with (
        server.client("nfs", mounts=2),
        server.client("nfs"),
        server.client("smb", files=1),
        server.client("smb", files=3, lost=True),
    ):
        assert asked(access) == {"nfs": Usage(2, 2), "smb": Usage(1, 0, 3)}


def test_a_plain_user_is_told_nothing_and_what_would_help(server: SimulatedDittoFS) -> None:
    found = asked(access_to(server.url))

    assert isinstance(found, Denied)
    assert "Admin access required" in found.why
    assert "log in as an administrator" in found.why


@pytest.mark.parametrize("path", [CLIENTS, MOUNTS, HANDLES])
@pytest.mark.parametrize(
    ("status", "body"),
    [(200, "{}"), (200, '["x"]'), (200, '[{"protocol": 3}]'), (200, "null"), (200, "nonsense"), (404, "x")],
)
def test_half_an_answer_is_none(server: SimulatedDittoFS, path: str, status: int, body: str) -> None:
    server.answer_with(status, body, path=path)

    found = asked(access_to(server.url, username="admin", password=server.admin_password))

    assert isinstance(found, Nonsense)


def test_silence_is_an_outcome(server: SimulatedDittoFS) -> None:
    server.delay(30, path=MOUNTS)
    silent = access_to(
        server.url, username="admin", password=server.admin_password, deadline=1.0, request_timeout=30.0
    )

    assert isinstance(asked(silent), Unreachable)
    assert isinstance(asked(access_to("http://127.0.0.1:1")), Unreachable)


def test_a_bug_of_ours_is_an_outcome_too(server: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(server.admin_password)

    monkeypatch.setattr("dittoinfra.dittofs.usage.parse_protocols", broken)

    found = asked(access_to(server.url, username="admin", password=server.admin_password))

    assert found == Unreachable("internal error: RuntimeError", "please report it")
