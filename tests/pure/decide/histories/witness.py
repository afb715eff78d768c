"""An account of a server's polls that owes nothing to the code under test.

It never looks at a decision's counters: it counts what was heard.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache

from dittoinfra.model import Answered, Outcome
from tests.pure.decide.histories.life import Rules


class Heard(Enum):
    """What a poll says about one adapter type."""

    SERVING = auto()
    STOPPED = auto()
    DISABLED = auto()
    MISSING = auto()

    @property
    def absent(self) -> bool:
        """Neither serving nor switched off by somebody."""
        return self in (Heard.STOPPED, Heard.MISSING)


def heard(outcome: Outcome) -> Mapping[str, Heard] | None:
    """What an answer says about every type in it; None where there is no answer."""
    if not isinstance(outcome, Answered):
        return None
    return {
        a.type: Heard.DISABLED if not a.enabled else Heard.SERVING if a.running else Heard.STOPPED
        for a in outcome.adapters
    }


@cache
def share_a_name(types: frozenset[str]) -> bool:
    """Whether a Service of one type, or the one for its UDP ports, would be named like another type's."""
    plain = {adapter_type.casefold() for adapter_type in types}
    return len(plain) < len(types) or any(f"{adapter_type}-udp" in plain for adapter_type in plain)


@dataclass(slots=True)
class Witness:
    """How often in a row each type was absent, by answered polls alone."""

    at_most: dict[str, int] = field(default_factory=dict)
    """An upper bound: whatever removes for absence before this many polls removes too early."""
    at_least: dict[str, int] = field(default_factory=dict)
    """A lower bound, under unchanged rules: whatever is still there after that many is there too long."""
    before: dict[str, int] = field(default_factory=dict)
    """The upper bound as it was when the run began."""
    rules: Rules | None = None

    def begin(self, rules: Rules) -> None:
        """A run begins; under changed rules nothing can be overdue yet."""
        if rules != self.rules:
            self.at_least.clear()
        self.before = dict(self.at_most)
        self.rules = rules

    def listen(self, said: Mapping[str, Heard] | None, known: Iterable[str], pinned: Iterable[str]) -> None:
        """One poll; an unanswered one says nothing about anybody."""
        if said is not None:
            for adapter_type in {*known, *said}:
                self._count(adapter_type, said.get(adapter_type, Heard.MISSING))
        for adapter_type in pinned:
            self.at_most[adapter_type] = self.at_least[adapter_type] = 0

    def refused(self) -> None:
        """The run was stopped: it has declared neither a counter nor a pin, so it might not have been."""
        self.at_most = self.before
        self.at_least.clear()

    def _count(self, adapter_type: str, what: Heard) -> None:
        assert self.rules is not None
        for bound in (self.at_most, self.at_least):
            counted = bound.get(adapter_type, 0)
            if what is Heard.STOPPED and self.rules.not_running == "keep":
                bound[adapter_type] = counted
            else:
                bound[adapter_type] = counted + 1 if what.absent else 0
