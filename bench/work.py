"""One measurement after the other, on a machine that has time for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.bed import Bed, BenchError
from bench.machine import BUSY, day_and_commit, others_share, quiet_within
from bench.measurement import Measurement, Rounds
from bench.progress import Progress
from bench.results import Result, result_of
from bench.sampling import Samples, sample
from bench.spread import Spread
from bench.verdict import verdict
from lab.gotools import StreamProgress, find_cli, first_on_path

PATIENCE = 120.0
"""Seconds that a busy machine is waited for."""

TRIES = 3
"""How often other programs may disturb a measurement."""


class BusyError(BenchError):
    """The machine is busy: what is measured now is about other programs."""


@contextmanager
def bed() -> Iterator[Bed]:
    """The CLI, and a folder that goes when all is measured."""
    cli = find_cli(StreamProgress())
    # Commands that are measured look for it there.
    first_on_path(cli)
    with TemporaryDirectory(prefix="bench-") as folder:
        yield Bed(cli.command, str(cli.version), Path(folder))


def measure(
    measurement: Measurement,
    where: Bed,
    progress: Progress,
    *,
    anyway: bool = False,
    rounds: Rounds | None = None,
    enough: Callable[[Spread], bool] | None = None,
) -> tuple[Result, ...]:
    """What one measurement comes to, and then others that came beside it; `BusyError` on a busy machine.

    One that other programs have disturbed is taken again. `anyway` takes it as it comes.
    """
    if anyway:
        return _measured(measurement, where, progress, rounds, enough)
    for _ in range(TRIES):
        wait_for_quiet(progress)
        results = _measured(measurement, where, progress, rounds, enough)
        if (share := others_share()) <= BUSY:
            return results
        progress.done(
            f"{measurement.name}: not kept, because others use {share:.0%} of the processors by now"
        )
    raise BusyError(f"{measurement.name}: the machine was busy after each of {TRIES} tries; measure later")


def _measured(
    measurement: Measurement,
    where: Bed,
    progress: Progress,
    rounds: Rounds | None,
    enough: Callable[[Spread], bool] | None,
) -> tuple[Result, ...]:
    often = rounds or measurement.rounds

    def told(found: Spread) -> bool:
        return verdict(found, measurement.goal, measurement.widest).told

    def moved(samples: Samples) -> None:
        progress.sampled(measurement.name, samples, often)

    progress.begun(measurement.name)
    with measurement.opening(where) as pair:
        samples = sample(pair, often, enough or told, moved)
        when = day_and_commit()
        beside = (result_of(each, pair.beside[each.name], (), when) for each in measurement.beside)
        return result_of(measurement, samples, pair.facts(), when), *beside


def wait_for_quiet(progress: Progress) -> None:
    """Return once others leave the processors alone, or `BusyError`."""
    share = quiet_within(PATIENCE, progress.waiting)
    if share is not None:
        raise BusyError(
            f"the machine is busy: others use {share:.0%} of its processors, and have for {PATIENCE:g} s; "
            "measure when they are done, or look at noise with --anyway"
        )
