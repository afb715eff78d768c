"""The progress of measurements, for the user who waits for them."""

import sys

from bench.measurement import Rounds
from bench.sampling import Samples


class Progress:
    """One line that moves in a terminal, and one line for each measurement elsewhere."""

    def __init__(self) -> None:
        self._moves = sys.stderr.isatty()

    def begun(self, name: str) -> None:
        """Something is being set up."""
        self._show(f"{name}: setting up ...", last=not self._moves)

    def sampled(self, name: str, samples: Samples, rounds: Rounds) -> None:
        """One more round is over."""
        if self._moves:
            count = len(samples.subject)
            self._show(
                f"{name}: round {count} of {rounds.least} to {rounds.most}, {samples.spread.median:.3g}"
            )

    def waiting(self, share: float) -> None:
        """The machine is busy."""
        self._show(f"waiting: others use {share:.0%} of the processors ...", last=not self._moves)

    def done(self, line: str) -> None:
        """A line that stays."""
        self._show(line, last=True)

    def _show(self, line: str, *, last: bool = False) -> None:
        start = "\r\x1b[K" if self._moves else ""
        sys.stderr.write(f"{start}{line}{chr(10) if last else ''}")
        sys.stderr.flush()
