"""A run's polls, with a look at the clock around them."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from typing_extensions import override

from dittoinfra.dittofs import ApiAccess, NotAsked, Polling
from dittoinfra.dittofs.client import Backoff
from dittoinfra.dittofs.polling import Outcomes
from dittoinfra.program import observe


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


def take_times(times: Times) -> None:
    """Let the next run of this process note them."""

    class Timed(Polling):
        def __init__(
            self,
            servers: Mapping[str, ApiAccess | NotAsked],
            max_concurrent: int,
            backoff: Backoff | None = None,
        ) -> None:
            times.asked = time.monotonic()
            super().__init__(servers, max_concurrent, backoff)

        @override
        def first(self) -> Outcomes:
            times.waited = time.monotonic()
            outcomes = super().first()
            times.heard = time.monotonic()
            return outcomes

    setattr(observe, "Polling", Timed)  # noqa: B010 - the type of a class cannot be assigned to
