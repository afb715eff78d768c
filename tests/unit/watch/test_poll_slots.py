"""How many servers are asked at the same time, and what one that hangs does to the others."""

import asyncio
import resource

import pytest

from dittoinfra.watch.poll_slots import MOST_FILES, SPARE_FILES, PollSlots, most_connections

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


@pytest.mark.parametrize(
    ("soft", "hard", "allowed", "connections"),
    [
        (1024, 4096, True, 4096 - SPARE_FILES),
        (1024, resource.RLIM_INFINITY, True, MOST_FILES - SPARE_FILES),
        (1024, 4096, False, 1024 - SPARE_FILES),
        (4096, 4096, False, 4096 - SPARE_FILES),
        (256, 256, False, 0),
    ],
    ids=["more are to be had", "any number is to be had", "more are refused", "all are had", "too few"],
)
def test_connections_are_bounded_by_the_files_that_may_be_open(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, allowed: bool, connections: int
) -> None:
    def set_limit(which: int, limits: tuple[int, int]) -> None:
        if not allowed:
            raise ValueError("not allowed to raise maximum limit")
        assert limits == (connections + SPARE_FILES, hard)

    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", set_limit)

    assert most_connections() == connections
