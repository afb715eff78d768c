"""A store that calls a function at one point of a run: before or after the engine's nth request."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from lab.standin import Store
from lab.standin.properties import Properties
from lab.standin.target import Target
from lab.standin.terms import Terms

T = TypeVar("T")
When = Literal["before", "after", "answered"]


@dataclass(frozen=True, slots=True)
class FaultPoint:
    """A point of a run as the provider sees it."""

    of: Literal["write", "question"]
    """Whether writes to the cluster are counted, or reads and previews."""
    number: int
    when: When
    """Before the request, after it but before its answer, or when the engine has the answer."""
    arrives: bool = True
    """Whether the request is still carried out when the process is killed before it."""
    kind: str = ""
    """Count only requests for this kind; empty counts all."""

    def __str__(self) -> str:
        lost = "" if self.arrives else ", which never arrives"
        return f"{self.when} {self.of} {self.number}{lost}"


class RequestLostError(Exception):
    """The request never arrived."""


class FaultStore:
    """Forwards everything to another store, and calls `trigger` once, at the fault point."""

    def __init__(self, inner: Store, moment: FaultPoint, trigger: Callable[[], None]) -> None:
        self._inner = inner
        self._moment = moment
        self._trigger = trigger
        self._lock = threading.Lock()
        self._counted = {"write": 0, "question": 0}
        self.triggered = threading.Event()

    @property
    def counted(self) -> dict[str, int]:
        """How many requests were counted so far."""
        return dict(self._counted)

    @property
    def default_namespace(self) -> str:
        """The inner store's."""
        return self._inner.default_namespace

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """A question; asked for each resource."""
        return self._forward("question", lambda: self._inner.is_namespaced(api_version, kind))

    def serves(self, api_version: str, kind: str) -> bool:
        """A question."""
        return self._forward("question", lambda: self._inner.serves(api_version, kind))

    def fitted(self, manifest: Properties) -> Properties:
        """Not counted: the schema is cached."""
        return self._inner.fitted(manifest)

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """A question."""
        return self._forward("question", lambda: self._inner.preview_create(target, terms))

    def preview_update(self, target: Target, terms: Terms) -> Properties:
        """A question."""
        return self._forward("question", lambda: self._inner.preview_update(target, terms))

    def look(self, target: Target) -> Properties:
        """A question."""
        return self._forward("question", lambda: self._inner.look(target))

    def read(self, target: Target, terms: Terms) -> Properties | None:
        """A question."""
        return self._forward("question", lambda: self._inner.read(target, terms))

    def create(self, target: Target, terms: Terms) -> Properties:
        """A write."""
        return self._forward("write", lambda: self._inner.create(target, terms), target.key.kind)

    def update(self, target: Target, terms: Terms) -> Properties:
        """A write."""
        return self._forward("write", lambda: self._inner.update(target, terms), target.key.kind)

    def delete(self, target: Target, terms: Terms) -> None:
        """A write."""
        self._forward("write", lambda: self._inner.delete(target, terms), target.key.kind)

    def release(self, target: Target, manager: str) -> None:
        """A write."""
        self._forward("write", lambda: self._inner.release(target, manager), target.key.kind)

    def close(self) -> None:
        """Do nothing: the caller closes the inner store."""

    def _forward(self, of: Literal["write", "question"], do: Callable[[], T], kind: str = "") -> T:
        with self._lock:
            counted = self._moment.kind in ("", kind)
            self._counted[of] += counted
            now = counted and (of, self._counted[of]) == (self._moment.of, self._moment.number)
        if not now:
            return do()
        if self._moment.when == "before":
            self._inject()
            if not self._moment.arrives:
                raise RequestLostError
            return do()
        done = do()
        if self._moment.when == "after":
            self._inject()
        else:
            # By then the answer has been sent.
            threading.Timer(0.01, self._inject).start()
        return done

    def _inject(self) -> None:
        self._trigger()
        self.triggered.set()
