"""One stack at a time per server."""

import threading

import pytest

from dittoinfra.program import RunStopped
from dittoinfra.watch.turns import Turns


def test_who_comes_second_waits_until_the_first_is_done_with_all_it_shares() -> None:
    turns, entered = Turns(), threading.Event()

    def second() -> None:
        turns.take({"b", "c"})
        entered.set()

    turns.take({"a", "b"})
    turns.take({"d"})
    thread = threading.Thread(target=second)
    thread.start()
    assert not entered.wait(0.1)

    turns.give_back({"a", "b"})
    thread.join(10)
    assert entered.is_set()


def test_nobody_waits_once_the_watch_stops() -> None:
    turns, sent_home = Turns(), threading.Event()

    def waiting() -> None:
        with pytest.raises(RunStopped):
            turns.take({"a"})
        sent_home.set()

    turns.take({"a"})
    thread = threading.Thread(target=waiting)
    thread.start()
    turns.close()
    thread.join(10)
    assert sent_home.is_set()
