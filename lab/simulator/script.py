"""Faults that a test or a demo injects, and the requests received so far."""

import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.simulator.answers import Answer


class Request(NamedTuple):
    """A received request; compares equal to a plain tuple."""

    method: str
    path: str


@dataclass(frozen=True)
class HangUp:
    """Close the connection without a response."""


@dataclass(frozen=True)
class Say:
    """Respond with this to any request."""

    answer: Answer


Fault = HangUp | Say


@dataclass
class _Planned:
    fault: Fault
    path: str | None
    left: int | None


@dataclass
class Script:
    """Planned faults and received requests; thread-safe."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _requests: list[Request] = field(default_factory=list)
    _planned: list[_Planned] = field(default_factory=list)
    _delays: dict[str | None, float] = field(default_factory=dict)

    @property
    def requests(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._requests)

    def record(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)

    def forget_requests(self) -> None:
        with self._lock:
            self._requests.clear()

    def plan(self, fault: Fault, path: str | None, times: int | None) -> None:
        """Let the next `times` requests for `path` fail like this; None means all of them."""
        with self._lock:
            self._planned.append(_Planned(fault, path, times))

    def delay(self, seconds: float, path: str | None) -> None:
        with self._lock:
            self._delays[path] = seconds

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()
            self._delays.clear()

    def delay_of(self, path: str) -> float:
        with self._lock:
            return self._delays.get(path, self._delays.get(None, 0.0))

    def next_fault(self, path: str) -> Fault | None:
        """The first planned fault for this path, used up by one."""
        with self._lock:
            for planned in self._planned:
                if planned.path in (None, path) and planned.left != 0:
                    planned.left = None if planned.left is None else planned.left - 1
                    return planned.fault
            return None
