"""Closes event loops that the Pulumi SDK leaves open when the engine aborts a program."""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from unittest.mock import patch

FINISH_SECONDS = 30.0


@contextmanager
def loops_closed() -> Iterator[None]:
    """Close every loop created in the block; an open one would fail a later test with a warning."""
    made: list[tuple[asyncio.AbstractEventLoop, FrameType]] = []
    make = asyncio.new_event_loop

    def remember() -> asyncio.AbstractEventLoop:
        made.append((make(), sys._getframe(1)))
        return made[-1][0]

    with patch.object(asyncio, "new_event_loop", remember):
        yield
    for loop, maker in made:
        _finish(loop, maker)


def _finish(loop: asyncio.AbstractEventLoop, maker: FrameType) -> None:
    deadline = time.monotonic() + FINISH_SECONDS
    # The SDK's own thread may be about to close the loop: two threads that close it at once fail both.
    while not loop.is_closed() and (_executing(maker) or loop.is_running()):
        assert time.monotonic() < deadline, "a broken-off program is still running"
        time.sleep(0.01)
    if loop.is_closed():
        return
    loop.set_exception_handler(lambda *_: None)
    pending = asyncio.all_tasks(loop)
    for task in pending:
        task.cancel()
    # Not all at once: the task that the SDK was running stops the loop when it ends, before the others have.
    while not all(task.done() for task in pending):
        assert time.monotonic() < deadline, "a broken-off program does not end"
        loop.call_later(0.01, loop.stop)
        loop.run_forever()
    loop.close()


def _executing(frame: FrameType) -> bool:
    """Whether another thread is still in the function that created a loop."""
    here = threading.get_ident()
    for thread, top in sys._current_frames().items():
        current: FrameType | None = top if thread != here else None
        while current is not None:
            if current is frame:
                return True
            current = current.f_back
    return False
