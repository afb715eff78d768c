"""The many servers of the bench are servers to the client that is measured with them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bench import bed
from bench.bed import Bed, BenchError, Servers, need_files, servers
from dittoinfra.dittofs import ApiAccess, Login, NotAsked, Polling
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.model import Answered, ReportedAdapter
from lab.bed.credentials import credential


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Servers]:
    with servers(Bed("pulumi", "3.259.0", tmp_path), 12, 0.05) as answering:
        yield answering


def access(url: str) -> ApiAccess:
    login = Login("bench", SecretStr(credential("bench")), PasswordSource("a test", "nothing to do"))
    return ApiAccess(url, login, deadline=60.0, request_timeout=30.0)


def test_a_poll_is_a_login_and_a_list_over_one_connection(many: Servers) -> None:
    async def poll() -> object:
        async with DittoFSClient(access(many.urls()[0])) as client:
            return await client.poll()

    nfs, smb = (
        ReportedAdapter(kind, 12049 + index, enabled=True, running=True)
        for index, kind in enumerate(("nfs", "smb"))
    )
    assert asyncio.run(poll()) == Answered((nfs, smb))
    seen = many.counted()
    assert (seen["connections"], seen["requests"]) == (1, 2)


def test_connections_are_counted_while_they_are_open(many: Servers) -> None:
    accesses: dict[str, ApiAccess | NotAsked] = {url: access(url) for url in many.urls()}

    with Polling(accesses, max_concurrent=3) as polling:
        outcomes = polling.first()

    assert {type(outcome) for outcome in outcomes.values()} == {Answered}
    seen = many.counted(forget=True)
    assert seen["connections"] == 12
    assert seen["most_open"] <= 3
    assert many.counted()["requests"] == 0


def test_more_servers_than_a_process_may_have_open_files_are_in_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bed, "most_files", lambda: 2 * 2 + bed.SPARE_FILES)

    with servers(Bed("pulumi", "3.259.0", tmp_path), 5, 0.0, types=0) as many:
        many.serve(3, 1)
        accesses: dict[str, ApiAccess | NotAsked] = {url: access(url) for url in many.urls()}
        with Polling(accesses, max_concurrent=5) as polling:
            outcomes = polling.first()
        seen = many.counted()

    found = [len(each.adapters) if isinstance(each, Answered) else None for each in outcomes.values()]
    assert found == [0, 0, 0, 1, 0]
    assert (seen["connections"], seen["requests"]) == (5, 10)
    assert seen["first_request"] is not None


def test_what_needs_more_open_files_than_a_process_may_have_is_not_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bed, "most_files", lambda: 1024)

    need_files(1024)
    with pytest.raises(BenchError, match="may open 1024 files, and this takes 1025"):
        need_files(1025)


def test_servers_that_have_ended_are_an_error_and_no_riddle(many: Servers) -> None:
    many.serve(99, 1)  # there are twelve: that ends them

    with pytest.raises(BenchError, match="simulated servers have ended"):
        many.counted()
