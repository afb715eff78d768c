"""How often in a row each adapter was absent, counted from the polls without the code under test."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache

from dittoinfra.model import Answered, Outcome
from tests.pure.decide.histories.history import Rules


class Reported(Enum):
    """What a poll says about one adapter type."""

    SERVING = auto()
    STOPPED = auto()
    DISABLED = auto()
    MISSING = auto()

    @property
    def absent(self) -> bool:
        """Neither serving nor disabled."""
        return self in (Reported.STOPPED, Reported.MISSING)


def reported(outcome: Outcome) -> Mapping[str, Reported] | None:
    """What an answer says about each type; None without an answer."""
    if not isinstance(outcome, Answered):
        return None
    return {
        a.type: Reported.DISABLED if not a.enabled else Reported.SERVING if a.running else Reported.STOPPED
        for a in outcome.adapters
    }


@cache
def share_a_name(types: frozenset[str]) -> bool:
    """Whether two types, or the UDP Service of one of them, would share a Service name."""
    plain = {adapter_type.casefold() for adapter_type in types}
    return len(plain) < len(types) or any(f"{adapter_type}-udp" in plain for adapter_type in plain)


@dataclass(slots=True)
class AbsenceCount:
    """How often in a row each type was absent, by answered polls only."""

    at_most: dict[str, int] = field(default_factory=dict)
    """An upper bound: whatever removes for absence before this many polls removes too early."""
    at_least: dict[str, int] = field(default_factory=dict)
    """A lower bound, under unchanged rules: whatever is still there after that many is there too long."""
    before: dict[str, int] = field(default_factory=dict)
    """The upper bound as it was when the run began."""
    rules: Rules | None = None

    def begin(self, rules: Rules) -> None:
        """Begin a run; with changed rules no removal can be overdue yet."""
        if rules != self.rules:
            self.at_least.clear()
        self.before = dict(self.at_most)
        self.rules = rules

    def add_poll(
        self, said: Mapping[str, Reported] | None, known: Iterable[str], pinned: Iterable[str]
    ) -> None:
        """Count one poll; unanswered ones are skipped."""
        if said is not None:
            for adapter_type in {*known, *said}:
                self._count(adapter_type, said.get(adapter_type, Reported.MISSING))
        for adapter_type in pinned:
            self.at_most[adapter_type] = self.at_least[adapter_type] = 0

    def refused(self) -> None:
        """Undo the counts of a run that was refused: it has declared nothing."""
        self.at_most = self.before
        self.at_least.clear()

    def _count(self, adapter_type: str, what: Reported) -> None:
        assert self.rules is not None
        for bound in (self.at_most, self.at_least):
            counted = bound.get(adapter_type, 0)
            if what is Reported.STOPPED and self.rules.not_running == "keep":
                bound[adapter_type] = counted
            else:
                bound[adapter_type] = counted + 1 if what.absent else 0
