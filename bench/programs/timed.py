"""A run's questions to the world, with a look at the clock around them."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from dittoinfra.model import Note, StackMemory
from dittoinfra.program import LiveInquiry
from dittoinfra.program.inquiry import Asking, Inquiry, Polls
from dittoinfra.settings import ServerSettings, StackSettings


@dataclass(slots=True)
class Times:
    """Seconds on the machine's clock."""

    began: float
    asked: float = 0.0
    """Polls were started."""
    waited: float = 0.0
    """There was nothing else to do but wait for them."""
    heard: float = 0.0
    """Every server had answered."""

    def document(self) -> Mapping[str, float]:
        """As JSON has it."""
        return asdict(self)


def timed(root: Path, environ: Mapping[str, str], times: Times) -> Inquiry:
    """The world itself."""

    class Timed(LiveInquiry):
        def ask(
            self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]
        ) -> Asking:
            times.asked = time.monotonic()
            return _TimedAsking(super().ask(stack, servers, found), times)

    return Timed(root, environ)


class _TimedAsking:
    def __init__(self, asking: Asking, times: Times) -> None:
        self._asking = asking
        self._times = times

    def __enter__(self) -> Self:
        self._asking.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.__exit__(kind, error, trace)

    def answers(self, memory: StackMemory) -> Polls:
        """What every server says."""
        self._times.waited = time.monotonic()
        polls = self._asking.answers(memory)
        self._times.heard = time.monotonic()
        return polls

    def notes(self) -> tuple[Note, ...]:
        """What is to be said about the asking itself."""
        return self._asking.notes()
