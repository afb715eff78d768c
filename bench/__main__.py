"""`python -m bench`: every measurement, or `--check` against the committed ones."""

import argparse
import sys
import time
from collections.abc import Sequence

from bench import results as kept
from bench.bed import BenchError
from bench.check import check
from bench.machine import describe, work_seconds
from bench.measurement import Measurement, Rounds
from bench.measurements import ALL
from bench.plots import draw
from bench.progress import Progress
from bench.results import Result
from bench.table import line, lines
from bench.verdict import Standing
from bench.work import BusyError, bed, measure, wait_for_quiet

BUSY = 3
"""The exit code where the machine had no time: neither good nor bad."""


def main(arguments: Sequence[str] | None = None) -> int:
    """An exit code: 0 where every goal is met, and nothing has regressed."""
    options = _parser().parse_args(arguments)
    progress = Progress()
    if options.draw:
        return _draw(progress)
    chosen = [each for each in ALL if not options.only or each.name in options.only]
    try:
        if options.check:
            return _check([each for each in chosen if each.checked], progress, anyway=options.anyway)
        rounds = Rounds(options.rounds, options.rounds) if options.rounds else None
        return _measure(chosen, progress, anyway=options.anyway or rounds is not None, rounds=rounds)
    except BusyError as error:
        progress.done(str(error))
        return BUSY
    except BenchError as error:
        progress.done(f"error: {error}")
        return 1


def _check(chosen: Sequence[Measurement], progress: Progress, *, anyway: bool) -> int:
    committed = kept.read()
    if committed is None:
        raise BenchError(f"there is no {kept.PATH.name} to check against; run `make bench` first")
    with bed() as where:
        slower = work_seconds() / float(committed.machine["work"])
        return check(committed, chosen, where, progress, slower=slower, anyway=anyway)


def _measure(
    chosen: Sequence[Measurement], progress: Progress, *, anyway: bool, rounds: Rounds | None
) -> int:
    found: dict[str, Result] = {}
    failures: list[Exception] = []
    with bed() as where:
        if not anyway:
            wait_for_quiet(progress)
        machine = describe(where.version)
        for measurement in chosen:
            if measurement.name in found:
                continue
            began = time.monotonic()
            try:
                results = measure(measurement, where, progress, anyway=anyway, rounds=rounds)
            except Exception as error:  # noqa: BLE001 - the others may still be measured: all take an hour
                what = error if isinstance(error, BenchError) else f"{type(error).__name__}: {error}"
                progress.done(f"{measurement.name}: not measured: {what}")
                failures.append(error)
                continue
            took = time.monotonic() - began
            for result in results:
                progress.done(f"{line(result)}  (in {took:.0f} s)")
                found[result.name] = result
                if not anyway:
                    # At once: a later measurement may fail, and this one took minutes.
                    kept.store(machine, result)
    sys.stdout.write("\n".join(lines(found.values())) + "\n")
    if anyway:
        progress.done("nothing is stored: the machine was not checked for other load, or rounds were too few")
    else:
        _draw(progress)
    if not all(map(_good, found.values())) or not all(isinstance(each, BusyError) for each in failures):
        return 1
    return BUSY if failures else 0


def _draw(progress: Progress) -> int:
    results = kept.read()
    if results is None:
        progress.done(f"there is no {kept.PATH.name} to draw; run `make bench` first")
        return 1
    for path in draw(results):
        progress.done(f"drawn: {path.name}")
    return 0


def _good(result: Result) -> bool:
    return result.verdict.standing in (Standing.MET, Standing.MEASURED) and not result.broken


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="How fast it is, each number against its floor in the same run."
    )
    names = [each.name for each in ALL]
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=names, help="; ".join(names))
    parser.add_argument("--check", action="store_true", help="fail where a ratio is worse than the committed")
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine; stores nothing")
    parser.add_argument("--rounds", metavar="N", type=int, help="so many rounds, to try it; stores nothing")
    parser.add_argument("--draw", action="store_true", help="draw the committed results again, and no more")
    return parser


if __name__ == "__main__":
    sys.exit(main())
