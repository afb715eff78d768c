"""Servers are polled concurrently, and none can affect the others."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from dittoinfra.dittofs import ApiAccess, NotAsked, Polling
from dittoinfra.dittofs.api_access import NO_ADDRESS
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.model import Answered, Nonsense, Outcome, Unreachable
from lab.bed.dittofs import wait_until
from lab.bed.loopback_only import stuck_resolver
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import PASSWORD, access_to, asked, raw_server, read_request

LOGIN = "/api/v1/auth/login"
LOGGED_IN = b'{"access_token":"a.b.c","token_type":"Bearer","expires_in":900}'


class Crowd:
    """Counts who is being served at the same time, and answers none before enough are there."""

    def __init__(self, enough: int, patience: float) -> None:
        self._enough = enough
        self._patience = patience
        self._changed = threading.Condition()
        self._inside = 0
        self._logins = 0
        self.most = 0

    def talk(self, connection: socket.socket) -> None:
        while request := read_request(connection):
            is_login = request.startswith(b"POST")
            if is_login:
                self._wait_for_the_others()
            body = LOGGED_IN if is_login else b"[]"
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    def _wait_for_the_others(self) -> None:
        with self._changed:
            self._inside += 1
            self._logins += 1
            self.most = max(self.most, self._inside)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._logins >= self._enough, self._patience)
            self._inside -= 1


@contextlib.contextmanager
def no_listener() -> Iterator[str]:
    """An address that is taken and refuses connections: bound, but not listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_hundred_servers_are_asked_at_once() -> None:
    crowd = Crowd(enough=100, patience=30.0)
    with raw_server(crowd.talk) as url:
        servers: dict[str, ApiAccess | NotAsked] = {
            f"media-{number}": access_to(url, deadline=40.0, request_timeout=35.0) for number in range(100)
        }

        with Polling(servers, max_concurrent=100) as polling:
            outcomes = polling.first()

    assert outcomes == dict.fromkeys(servers, Answered(()))
    assert crowd.most == 100


def test_no_more_than_allowed_are_asked_at_once() -> None:
    # The first three wait for a fourth, who must not come before they are gone.
    crowd = Crowd(enough=4, patience=0.5)
    with raw_server(crowd.talk) as url:
        servers: dict[str, ApiAccess | NotAsked] = {f"media-{number}": access_to(url) for number in range(20)}

        with Polling(servers, max_concurrent=3) as polling:
            outcomes = polling.first()

    assert outcomes == dict.fromkeys(servers, Answered(()))
    assert crowd.most == 3


def test_waiting_for_a_turn_costs_nothing_of_a_deadline(server: SimulatedDittoFS) -> None:
    server.delay(0.5, path=LOGIN)
    servers = {f"media-{number}": access_to(server.url, deadline=2.0) for number in range(5)}

    with Polling(servers, max_concurrent=1) as polling:
        outcomes = polling.first()

    assert all(isinstance(outcome, Answered) for outcome in outcomes.values())


def test_every_server_has_its_own_outcome(server: SimulatedDittoFS) -> None:
    with no_listener() as dead, SimulatedDittoFS() as odd, SimulatedDittoFS() as silent:
        odd.answer_with(200, "null")
        silent.delay(30)
        servers: dict[str, ApiAccess | NotAsked] = {
            "good": access_to(server.url),
            "dead": access_to(dead, deadline=1.0),
            "odd": access_to(odd.url),
            "silent": access_to(silent.url, deadline=0.3),
            "unasked": NO_ADDRESS,
        }

        with Polling(servers, max_concurrent=64) as polling:
            outcomes = polling.first()

    assert list(outcomes) == list(servers)
    assert isinstance(outcomes["good"], Answered)
    assert isinstance(outcomes["odd"], Nonsense)
    for name, cause in (
        ("dead", "refused"),
        ("silent", "within 0.3 s"),
        ("unasked", "no api.url is configured"),
    ):
        outcome = outcomes[name]
        assert isinstance(outcome, Unreachable)
        assert cause in outcome.why


def test_it_starts_at_once_and_works_while_the_program_does_something_else(server: SimulatedDittoFS) -> None:
    with Polling({"media": access_to(server.url)}, 4) as polling:
        wait_until(lambda: len(server.requests) == 2)

        assert isinstance(polling.first()["media"], Answered)


def test_it_can_be_waited_for_inside_a_running_loop(server: SimulatedDittoFS) -> None:
    async def program() -> dict[str, Outcome]:
        with Polling({"media": access_to(server.url)}, 4) as polling:
            return polling.first()

    assert isinstance(asyncio.run(program())["media"], Answered)


def test_a_further_poll_keeps_the_login(server: SimulatedDittoFS) -> None:
    with Polling({"media": access_to(server.url), "other": access_to(server.url)}, 4) as polling:
        polling.first()
        server.forget_requests()
        server.disable("smb")

        outcomes = polling.again({"media": 0.0})

    assert list(outcomes) == ["media"]
    outcome = outcomes["media"]
    assert isinstance(outcome, Answered)
    assert {adapter.type: adapter.enabled for adapter in outcome.adapters} == {"nfs": True, "smb": False}
    assert asked(server) == ["GET adapters/ports"]


def test_a_further_poll_waits_before_it_asks(server: SimulatedDittoFS) -> None:
    with Polling({"media": access_to(server.url)}, 1) as polling:
        polling.first()
        began = time.monotonic()

        polling.again({"media": 0.5})

        assert time.monotonic() - began >= 0.5


def test_the_first_round_can_be_read_twice(server: SimulatedDittoFS) -> None:
    with Polling({"media": access_to(server.url)}, 1) as polling:
        assert polling.first() == polling.first()

    assert len(server.requests) == 2


def test_no_servers_are_no_outcomes() -> None:
    with Polling({}, 1) as polling:
        assert polling.first() == {}
        assert polling.again({}) == {}


def test_a_bug_of_ours_is_an_outcome_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stumble(_: DittoFSClient) -> Outcome:
        raise ZeroDivisionError(PASSWORD)

    monkeypatch.setattr(DittoFSClient, "poll", stumble)

    with Polling({"media": access_to("http://127.0.0.1")}, 1) as polling:
        assert polling.first() == {
            "media": Unreachable("internal error: ZeroDivisionError", "please report it")
        }


def test_a_closed_polling_still_answers(server: SimulatedDittoFS) -> None:
    server.delay(30)
    polling = Polling({"media": access_to(server.url)}, 1)
    wait_until(lambda: len(server.requests) == 1)

    polling.close()
    polling.close()

    closed = {"media": Unreachable("polling was closed before this server answered")}
    assert polling.first() == closed
    assert polling.again({"media": 0.0}) == closed


def test_closing_leaves_no_thread_behind(server: SimulatedDittoFS) -> None:
    with Polling({"media": access_to(server.url)}, 1) as polling:
        polling.first()

    assert not [thread for thread in threading.enumerate() if thread.name == "dittofs-polling"]


def test_a_name_service_that_hangs_holds_up_only_its_own_server(server: SimulatedDittoFS) -> None:
    stuck = {f"stuck-{number}": access_to("http://stuck.invalid", deadline=0.5) for number in range(8)}
    named = access_to(server.url.replace("127.0.0.1", "localhost"))

    with stuck_resolver("stuck.invalid"), Polling({**stuck, "media": named}, 4) as polling:
        outcomes = polling.first()

    assert isinstance(outcomes.pop("media"), Answered)
    assert set(outcomes.values()) == {
        Unreachable(
            "http://stuck.invalid gave no answer within 0.5 s (api.deadline)",
            "check the server and the way to it",
        )
    }


def test_a_name_service_that_hangs_does_not_keep_the_process_alive() -> None:
    done = subprocess.run(
        [sys.executable, "-c", POLL_WITH_A_STUCK_RESOLVER], capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert "gave no answer within 0.5 s" in done.stdout


POLL_WITH_A_STUCK_RESOLVER = """
from dittoinfra.dittofs import Polling
from lab.bed.loopback_only import stuck_resolver
from tests.unit.dittofs.bench import access_to

resolver = stuck_resolver("stuck.invalid")
resolver.__enter__()
with Polling({"media": access_to("http://stuck.invalid", deadline=0.5)}, 1) as polling:
    print(polling.first())
"""
