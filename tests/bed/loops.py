"""Event loops that the Pulumi SDK leaves open when the engine breaks off a program."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

FINISH_SECONDS = 30.0


@contextmanager
def loops_closed() -> Iterator[None]:
    """Finish every loop made meanwhile; left open, it would fail some later test with a warning."""
    loops: list[asyncio.AbstractEventLoop] = []
    make = asyncio.new_event_loop

    def remember() -> asyncio.AbstractEventLoop:
        loops.append(make())
        return loops[-1]

    with patch.object(asyncio, "new_event_loop", remember):
        yield
    for loop in loops:
        if not loop.is_closed():
            _finish(loop)


def _finish(loop: asyncio.AbstractEventLoop) -> None:
    deadline = time.monotonic() + FINISH_SECONDS
    while loop.is_running():
        assert time.monotonic() < deadline, "a broken-off program is still running"
        time.sleep(0.01)
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
