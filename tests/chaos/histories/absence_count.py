"""How often in a row each adapter was missing, counted from the answers alone."""

from collections import Counter
from dataclasses import dataclass, field

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.run import ExpectedRun


@dataclass(slots=True)
class AbsenceCount:
    """An upper bound: a removal for absence before this many misses is too early."""

    misses: Counter[AdapterName] = field(default_factory=Counter)

    def add_run(self, expected: ExpectedRun) -> None:
        """Count one run; servers without a usable answer are skipped."""
        for server, answer in expected.answers.items():
            for adapter in {*expected.before.held, *self.misses}:
                if adapter.server != server or answer is None:
                    continue
                reported = answer.get(adapter.type)
                if reported is None:
                    self.misses[adapter] += expected.configuration.polls_per_run
                elif reported.running or not reported.enabled:
                    self.misses[adapter] = 0
