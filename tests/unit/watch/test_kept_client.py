"""What a server notices of a watch that keeps its connection and its login."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from dittoinfra.dittofs import NotAsked
from dittoinfra.model import Answered, Outcome, Unreachable
from dittoinfra.watch import kept_client
from dittoinfra.watch.kept_client import Access, KeptClient
from lab.bed.dittofs import wait_until
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import access_to, asked

LOGIN, LIST = "POST auth/login", "GET adapters/ports"
Poll = Callable[..., Awaitable[Outcome]]


def play(server: SimulatedDittoFS, script: Callable[[KeptClient, Poll], Awaitable[None]]) -> None:
    """Polls of one client, which is closed at the end as a watch does it."""

    async def run() -> None:
        client = KeptClient()

        async def poll(client_key: object = "settings", *, anew: bool = False, keep: bool = True) -> Outcome:
            def access() -> Access:
                return access_to(server.url)

            return await client.poll(client_key, access, anew=anew, keep=keep)

        try:
            await script(client, poll)
        finally:
            await client.close()

    asyncio.run(run())


def test_polls_share_a_connection_and_a_login_and_the_end_closes_it(server: SimulatedDittoFS) -> None:
    async def script(client: KeptClient, poll: Poll) -> None:
        for number in range(5):
            assert isinstance(await poll(), Answered)
            assert client.logged_in is (number == 0)
        assert server.open_connections == 1

    play(server, script)

    assert asked(server) == [LOGIN, *[LIST] * 5]
    assert server.accepted_connections == 1
    wait_until(lambda: server.open_connections == 0)


def test_a_token_that_is_refused_is_followed_by_one_login_on_the_same_connection(
    server: SimulatedDittoFS,
) -> None:
    async def script(client: KeptClient, poll: Poll) -> None:
        await poll()
        unauthorized = '{"title": "Unauthorized", "status": 401}'
        server.answer_with(
            401, unauthorized, "application/problem+json", path="/api/v1/adapters/ports", times=1
        )

        assert isinstance(await poll(), Answered)
        assert isinstance(await poll(), Answered)

    play(server, script)

    assert asked(server) == [LOGIN, LIST, LIST, LOGIN, LIST, LIST]


def test_other_settings_or_a_silent_server_have_everything_read_again(server: SimulatedDittoFS) -> None:
    async def script(client: KeptClient, poll: Poll) -> None:
        await poll("settings")
        await poll("other settings")
        await poll("other settings", anew=True)

    play(server, script)

    assert asked(server) == [LOGIN, LIST] * 3
    assert server.accepted_connections == 3


def test_without_room_for_connections_only_the_login_is_kept(server: SimulatedDittoFS) -> None:
    async def script(client: KeptClient, poll: Poll) -> None:
        for _ in range(3):
            assert isinstance(await poll(keep=False), Answered)
            await asyncio.to_thread(wait_until, lambda: server.open_connections == 0)

    play(server, script)

    assert asked(server) == [LOGIN, LIST, LIST, LIST]
    assert server.accepted_connections == 3


def test_a_connection_ends_after_so_many_polls_and_the_login_stays(
    server: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_client, "MOST_POLLS", 2)

    async def script(client: KeptClient, poll: Poll) -> None:
        for _ in range(5):
            assert isinstance(await poll(), Answered)

    play(server, script)

    assert asked(server) == [LOGIN, *[LIST] * 5]
    assert server.accepted_connections == 3


def test_a_server_that_cannot_be_asked_is_unreachable_until_it_can(server: SimulatedDittoFS) -> None:
    async def run() -> None:
        client = KeptClient()
        assert await client.poll("a", lambda: NotAsked("no password"), anew=False) == Unreachable(
            "no password"
        )
        assert isinstance(await client.poll("a", lambda: access_to(server.url), anew=False), Answered)
        await client.close()

    asyncio.run(run())
