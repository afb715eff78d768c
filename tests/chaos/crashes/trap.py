"""A store that springs a trap at one moment of a run: at, or right after, a request that the engine makes."""

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
class Moment:
    """One moment of a run, as the provider sees it."""

    of: Literal["write", "question"]
    """Whether what changes the cluster is counted, or what only asks, in previews too."""
    number: int
    when: When
    """Before it is done, once it is done and before anybody knows, or when the engine has its answer."""
    lands: bool = True
    """Whether a request that comes before somebody is killed is done all the same: it is on its way then."""
    kind: str = ""
    """The only kind of object whose requests are counted; empty counts all."""

    def __str__(self) -> str:
        lost = "" if self.lands else ", which never arrives"
        return f"{self.when} {self.of} {self.number}{lost}"


class NeverArrivedError(Exception):
    """The request was lost on its way."""


class Trap:
    """Passes everything on to the store inside, and springs once."""

    def __init__(self, inner: Store, moment: Moment, spring: Callable[[], None]) -> None:
        self._inner = inner
        self._moment = moment
        self._spring = spring
        self._lock = threading.Lock()
        self._counted = {"write": 0, "question": 0}
        self.sprung = threading.Event()

    @property
    def counted(self) -> dict[str, int]:
        """Requests so far."""
        return dict(self._counted)

    @property
    def default_namespace(self) -> str:
        """Whatever the store says."""
        return self._inner.default_namespace

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """A question that comes with every resource."""
        return self._passing("question", lambda: self._inner.is_namespaced(api_version, kind))

    def serves(self, api_version: str, kind: str) -> bool:
        """A question."""
        return self._passing("question", lambda: self._inner.serves(api_version, kind))

    def fitted(self, manifest: Properties) -> Properties:
        """No request: the schema is known."""
        return self._inner.fitted(manifest)

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """A question."""
        return self._passing("question", lambda: self._inner.preview_create(target, terms))

    def preview_update(self, target: Target, terms: Terms) -> Properties:
        """A question."""
        return self._passing("question", lambda: self._inner.preview_update(target, terms))

    def look(self, target: Target) -> Properties:
        """A question."""
        return self._passing("question", lambda: self._inner.look(target))

    def read(self, target: Target, terms: Terms) -> Properties | None:
        """A question."""
        return self._passing("question", lambda: self._inner.read(target, terms))

    def create(self, target: Target, terms: Terms) -> Properties:
        """A change."""
        return self._passing("write", lambda: self._inner.create(target, terms), target.key.kind)

    def update(self, target: Target, terms: Terms) -> Properties:
        """A change."""
        return self._passing("write", lambda: self._inner.update(target, terms), target.key.kind)

    def delete(self, target: Target, terms: Terms) -> None:
        """A change."""
        self._passing("write", lambda: self._inner.delete(target, terms), target.key.kind)

    def release(self, target: Target, manager: str) -> None:
        """A change."""
        self._passing("write", lambda: self._inner.release(target, manager), target.key.kind)

    def close(self) -> None:
        """The store is somebody else's."""

    def _passing(self, of: Literal["write", "question"], do: Callable[[], T], kind: str = "") -> T:
        with self._lock:
            counted = self._moment.kind in ("", kind)
            self._counted[of] += counted
            now = counted and (of, self._counted[of]) == (self._moment.of, self._moment.number)
        if not now:
            return do()
        if self._moment.when == "before":
            self._go_off()
            if not self._moment.lands:
                raise NeverArrivedError
            return do()
        done = do()
        if self._moment.when == "after":
            self._go_off()
        else:
            # The answer is on its way when somebody looks at the clock again.
            threading.Timer(0.01, self._go_off).start()
        return done

    def _go_off(self) -> None:
        self._spring()
        self.sprung.set()
