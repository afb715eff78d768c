"""Whether anything has become slower than the committed results by more than noise explains."""

import time
from collections.abc import Sequence

from bench.bed import Bed
from bench.measurement import Floor, Measurement, Rounds
from bench.progress import Progress
from bench.regression import Change, change, limit
from bench.results import Result, Results
from bench.spread import Spread
from bench.work import BusyError, measure

ROUNDS = Rounds(7, 19)
"""More than the least only where something looks suspicious."""

LONGEST = 240.0
"""Seconds after which no further measurement is begun: what is not reached is said not to be."""


def check(
    committed: Results,
    chosen: Sequence[Measurement],
    where: Bed,
    progress: Progress,
    *,
    slower: float,
    anyway: bool,
) -> int:
    """An exit code: 1 where a ratio has regressed for sure.

    `slower` is how many times as long this machine takes for the same work as the committed one.
    """
    began = time.monotonic()
    regressed: list[str] = []
    for measurement in chosen:
        before = committed.results.get(measurement.name)
        if before is None:
            progress.done(f"{measurement.name}: not checked, there is no committed result; run `make bench`")
            continue
        if time.monotonic() - began > LONGEST:
            progress.done(f"{measurement.name}: not checked, {LONGEST:g} s are over")
            continue
        most = limit(before.spread, slower if measurement.floor is Floor.CLOCK else 1.0)
        try:
            found = _measured(measurement, where, progress, most, anyway=anyway)
        except BusyError as error:
            # A machine that gets busy late does not undo what was measured before.
            if not regressed:
                raise
            progress.done(str(error))
            break
        verdict = change(found.spread, most)
        progress.done(_line(measurement.name, verdict, found.spread, before.spread, most))
        if verdict is Change.REGRESSED:
            regressed.append(measurement.name)
    if regressed:
        progress.done(f"regressed by more than a quarter: {', '.join(regressed)}; see docs/performance.md")
    return 1 if regressed else 0


def _measured(
    measurement: Measurement, where: Bed, progress: Progress, most: float, *, anyway: bool
) -> Result:
    def told(seen: Spread) -> bool:
        return change(seen, most) is not Change.SUSPICIOUS

    return measure(measurement, where, progress, anyway=anyway, rounds=ROUNDS, enough=told)[0]


def _line(name: str, verdict: Change, found: Spread, before: Spread, most: float) -> str:
    noise = ", but noise cannot be told from that" if verdict is Change.SUSPICIOUS else ""
    return (
        f"{name}: {verdict}{noise}: {found.median:.3g} ({found.low:.3g} … {found.high:.3g}), "
        f"committed {before.median:.3g}, at most {most:.3g}"
    )
