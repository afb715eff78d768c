"""Waiting for threads in a way that lets signals through."""

from collections.abc import Sequence
from concurrent.futures import Future, wait
from typing import Final, TypeVar

Found = TypeVar("Found")

WAKE_SECONDS: Final = 0.5


def results(futures: "Sequence[Future[Found]]") -> list[Found]:
    """What each has come to, in their order.

    Python handles signals in the main thread only, and one that comes while that sleeps does not always wake
    it: seen about once in thirty interrupts on a busy machine. So it wakes by itself.
    """
    while wait(futures, WAKE_SECONDS).not_done:
        pass
    return [future.result() for future in futures]
