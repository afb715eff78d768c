"""How many servers are asked at the same time, and what one that hangs does to the others."""

import asyncio

from dittoinfra.watch.poll_slots import PollSlots, most_connections

SECONDS = 30.0


def test_no_more_polls_than_slots_at_a_time() -> None:
    at_once, most = 0, 0

    async def poll(slots: PollSlots) -> None:
        nonlocal at_once, most
        async with slots.one():
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0)
            at_once -= 1

    async def play() -> None:
        slots = PollSlots(3, slow=SECONDS)
        await asyncio.gather(*(poll(slots) for _ in range(20)))

    asyncio.run(play())

    assert most == 3


def test_servers_that_hang_keep_no_other_waiting_and_give_back_one_slot_each() -> None:
    async def play() -> None:
        slots = PollSlots(2, slow=0.01)
        released = asyncio.Event()

        async def hang() -> None:
            async with slots.one():
                await released.wait()

        hanging = [asyncio.create_task(hang()) for _ in range(20)]
        async with asyncio.timeout(SECONDS):
            for _ in range(3):
                async with slots.one():
                    pass
            released.set()
            await asyncio.gather(*hanging)
            # As many as at the beginning: a third one has to wait.
            async with slots.one(), slots.one():
                third = asyncio.create_task(slots.one().__aenter__())
                await asyncio.sleep(0)
                assert not third.done()
                third.cancel()

    asyncio.run(play())


def test_connections_are_bounded_by_the_files_that_may_be_open() -> None:
    assert most_connections() == most_connections() > 0
