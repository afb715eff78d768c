"""One stack at a time per server."""

import threading

import pytest

from dittoinfra.model import RememberedServer
from dittoinfra.settings import StackSettings
from dittoinfra.state import Memory
from dittoinfra.watch.stack_runner import ServerLocks, WatchStoppingError, servers_of


def test_who_comes_second_waits_until_the_first_is_done_with_all_it_shares() -> None:
    locks, order = ServerLocks(), list[str]()
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with locks.held({"b", "c"}):
            order.append("second")

    with locks.held({"a", "b"}), locks.held({"d"}):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)

    assert order == ["first", "second"]


def test_no_run_waits_once_the_watch_stops() -> None:
    locks, ended = ServerLocks(), threading.Event()

    def waiting() -> None:
        with pytest.raises(WatchStoppingError), locks.held({"a"}):
            pass
        ended.set()

    with locks.held({"a"}):
        thread = threading.Thread(target=waiting)
        thread.start()
        locks.close()
        thread.join(10)
        assert ended.is_set()


def test_a_run_has_its_named_and_its_found_servers_to_itself() -> None:
    settings = StackSettings.model_validate(
        {
            "namespace": "files",
            "servers": [{"name": "media", "api": {"url": "http://media:8080"}}, {"name": "silent"}],
            "serversFrom": [{"kind": "StatefulSet", "selector": {"matchLabels": {"app": "dittofs-server"}}}],
        }
    )
    memory = Memory(servers={"found": RememberedServer("other", {}), "left": RememberedServer("files")})

    assert servers_of(settings, memory) == {"http://media:8080", "files/silent", "other/found"}
