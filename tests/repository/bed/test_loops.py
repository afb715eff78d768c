"""Event loops that the Pulumi SDK leaves open are closed."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from lab.bed.loops import loops_closed


def test_a_loop_that_is_left_open_is_closed() -> None:
    with loops_closed():
        loop = asyncio.new_event_loop()
        waiting = loop.create_task(asyncio.sleep(3600))

    assert loop.is_closed()
    assert waiting.cancelled()


def test_a_loop_that_its_maker_is_about_to_close_is_left_to_it() -> None:
    loops: list[asyncio.AbstractEventLoop] = []
    made, released = threading.Event(), threading.Event()

    def program() -> None:
        loop = asyncio.new_event_loop()
        loops.append(loop)
        made.set()
        released.wait()
        # Fails where another thread has closed it meanwhile.
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    with ThreadPoolExecutor(1) as pool, loops_closed():
        running = pool.submit(program)
        made.wait()
        threading.Timer(0.05, released.set).start()

    assert running.exception() is None
    assert loops[0].is_closed()
