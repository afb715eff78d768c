"""Connections that break."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dittoinfra.model import Nonsense, Unreachable
from tests.chaos.faults.caller import Caller, reset_when_closed
from tests.chaos.faults.fault import LASTING, SLOW, Fault, Place
from tests.chaos.faults.serving import HEALTHY, Talk, answer, api, logged_in, saying
from tests.unit.dittofs.bench import raw_server, read_request, silent_port

HALF_A_HEADER = b"HTTP/1.1 200 OK\r\nContent-Type: applica"
HALF_A_BODY = answer(HEALTHY)[:-40]


@contextmanager
def refused() -> Iterator[Place]:
    """A port that is reserved, and on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield Place(f"http://127.0.0.1:{taken.getsockname()[1]}")


@contextmanager
def never_accepted() -> Iterator[Place]:
    """A server that hangs: the system takes the connection for it, and it never looks."""
    with silent_port() as port:
        yield Place(f"http://127.0.0.1:{port}")


@contextmanager
def gone_after_the_login() -> Iterator[Place]:
    """A server that is shut down while we log in."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def log_in_once() -> None:
            connection, _ = listener.accept()
            with connection:
                read_request(connection)
                # The port stays taken, and new connections are refused.
                listener.shutdown(socket.SHUT_RDWR)
                connection.sendall(logged_in())

        serving = threading.Thread(target=log_in_once, daemon=True)
        serving.start()
        yield Place(f"http://127.0.0.1:{listener.getsockname()[1]}")
        serving.join()


@contextmanager
def reset_at_once() -> Iterator[Place]:
    """A server that cuts every connection before it has read a word."""
    with raw_server(reset_when_closed) as url:
        yield Place(url)


def reset_after(words: bytes) -> Talk:
    """Say this much, and cut the connection."""

    def talk(caller: Caller) -> None:
        caller.say(words)
        caller.reset()

    return talk


def half_closed_after(words: bytes) -> Talk:
    """Say this much and that nothing more will come, and stay."""

    def talk(caller: Caller) -> None:
        caller.say(words)
        caller.half_close()

    return talk


def silent_after(words: bytes) -> Talk:
    """Say this much, and stay without another word."""

    def talk(caller: Caller) -> None:
        caller.say(words)
        caller.fall_silent()

    return talk


REFUSED = "the connection was refused"
RESET = "the connection was reset"
CLOSED = "the connection was closed without an answer"
BROKE_OFF = "broke off in the middle of its answer"
TOO_SLOW = "answer within "
"""By then a request is over, or the whole poll: on a busy machine both come at once."""

FAULTS = (
    Fault("refused", refused, Unreachable, REFUSED, limits=LASTING),
    Fault("refused-after-the-login", gone_after_the_login, Unreachable, REFUSED, limits=LASTING),
    Fault("never-accepted", never_accepted, Unreachable, TOO_SLOW, limits=SLOW),
    Fault("reset-at-once", reset_at_once, Unreachable, RESET, limits=LASTING),
    Fault("reset-at-the-login", api(reset_after(b""), at="login"), Unreachable, RESET, limits=LASTING),
    Fault("reset-before-the-header", api(reset_after(b"")), Unreachable, RESET, limits=LASTING),
    Fault("reset-inside-the-header", api(reset_after(HALF_A_HEADER)), Unreachable, RESET, limits=LASTING),
    Fault("reset-inside-the-body", api(reset_after(HALF_A_BODY)), Unreachable, RESET, limits=LASTING),
    Fault("closed-without-a-word", api(saying(b"")), Unreachable, CLOSED, limits=LASTING),
    Fault("closed-inside-the-header", api(saying(HALF_A_HEADER)), Unreachable, CLOSED, limits=LASTING),
    Fault("closed-inside-the-body", api(saying(HALF_A_BODY)), Nonsense, BROKE_OFF, limits=LASTING),
    Fault("half-closed", api(half_closed_after(b"")), Unreachable, CLOSED, limits=LASTING),
    Fault("half-closed-body", api(half_closed_after(HALF_A_BODY)), Nonsense, BROKE_OFF, limits=LASTING),
    Fault("silent", api(silent_after(b"")), Unreachable, TOO_SLOW, limits=SLOW),
    Fault("silent-at-the-login", api(silent_after(b""), at="login"), Unreachable, TOO_SLOW, limits=SLOW),
)
