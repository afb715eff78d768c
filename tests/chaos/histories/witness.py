"""How often in a row each adapter was missing, by answers alone: no counter of the stack is asked."""

from collections import Counter
from dataclasses import dataclass, field

from tests.chaos.histories.events import Place
from tests.chaos.histories.run import Outlook


@dataclass(slots=True)
class Witness:
    """An upper bound: whatever goes for absence before this many misses goes too early."""

    misses: Counter[Place] = field(default_factory=Counter)

    def listen(self, outlook: Outlook) -> None:
        """One run; a server without a usable answer says nothing about anybody."""
        for server, answer in outlook.answers.items():
            for place in {*outlook.before.held, *self.misses}:
                if place.server != server or answer is None:
                    continue
                told = answer.get(place.type)
                if told is None:
                    self.misses[place] += outlook.wishes.polls_per_run
                elif told.running or not told.enabled:
                    self.misses[place] = 0
