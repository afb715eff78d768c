"""Whether a server is heard, and the one line that is said when that changes."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from dittoinfra.model import Answered, Outcome, ServerDecision
from dittoinfra.watch.events import Happening, WatchEvent
from dittoinfra.watch.metrics import StackMetrics
from dittoinfra.watch.pace import Pace

Tell = Callable[[WatchEvent], None]
"""Takes every event of the watch."""


@dataclass(slots=True)
class Voice:
    """How one server of one stack has answered lately."""

    server: str
    voices: "Voices" = field(repr=False)
    failures: int = 0
    """Polls in a row without a usable answer."""
    _silence: type[Outcome] | None = None

    @property
    def silent(self) -> bool:
        """Whether its last poll ended without a usable answer."""
        return self._silence is not None

    @property
    def wait(self) -> float:
        """Seconds until it is asked again."""
        return self.voices.pace.wait(max(0, self.failures - 1))

    def hear(self, outcome: Outcome, decision: ServerDecision) -> None:
        """Take note of a poll's outcome and of what the rules make of it; say what is not as it was."""
        before = self._silence
        if isinstance(outcome, Answered):
            self._silence, self.failures = None, 0
            if before is not None:
                self._tell(Happening.ANSWERING, "answers again")
        else:
            self._silence, self.failures = type(outcome), self.failures + 1
            if before is not self._silence:
                kind = type(outcome).__name__.lower()
                self._tell(Happening.SILENT, f"is {kind}: {outcome.why}; its adapters stay as they are")
        backoff = self.voices.pace.backoff(self.failures - 1) if self.failures else 0.0
        states = Counter(adapter.state for adapter in decision.adapters)
        self.voices.metrics.polled(self.server, outcome, backoff, states)

    def _tell(self, event: Happening, what: str) -> None:
        text = f"{self.server} {what}"
        self.voices.tell(WatchEvent(event=event, stack=self.voices.stack, server=self.server, text=text))


@dataclass(slots=True)
class Voices:
    """The servers of one stack, over all runs of a watch."""

    stack: str
    pace: Pace
    tell: Tell
    metrics: StackMetrics
    _known: dict[str, Voice] = field(default_factory=dict)

    def of(self, server: str) -> Voice:
        """One of them."""
        return self._known.setdefault(server, Voice(server, self))

    def keep(self, servers: Collection[str]) -> None:
        """Forget all others: they have left the configuration."""
        for gone in self._known.keys() - set(servers):
            del self._known[gone]
            self.metrics.forget(gone)
