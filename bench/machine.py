"""The machine that something was measured on, and whether it has time for that."""

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.bed import ROOT
from bench.parts import described

BUSY = 0.15
"""Share of all processors' time that others may use before a measurement is no longer one."""

LOOK_SECONDS = 2.0

_PACKAGES = ("pulumi", "pulumi-kubernetes", "httpx", "pydantic", "grpcio")
_WORK = 400_000


def describe(cli: str) -> dict[str, Any]:
    """What results depend on; neither names nor places."""
    return {
        "processors": os.cpu_count() or 1,
        "model": _model(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "pulumi CLI": cli,
        "parts": described(),
        "packages": {name: version(name) for name in _PACKAGES},
        "work": round(work_seconds(), 4),
    }


def day_and_commit() -> str:
    """Today, and the commit that is measured; with a plus sign where files differ from it."""
    commit = _git("rev-parse", "--short", "HEAD") or "no commit"
    changed = _git("status", "--porcelain", "--", "dittoinfra", "lab", "bench", ":!bench/results.json")
    return f"{datetime.now(UTC):%Y-%m-%d}, {commit}{'+' if changed else ''}"


def _git(*words: str) -> str:
    done = subprocess.run(  # noqa: S603 - words of our own
        ["git", *words],  # noqa: S607 - whichever the developer uses
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def work_seconds() -> float:
    """Processor time of a fixed piece of Python: how slow this machine is, against another one."""
    return statistics.median(_timed(_work) for _ in range(9))


def others_share(look: float = LOOK_SECONDS) -> float:
    """The share of all processors' time that other programs use right now, while this one does nothing."""
    before = _processor_times()
    time.sleep(look)
    return busy_share(before, _processor_times())


def busy_share(before: tuple[int, int], after: tuple[int, int]) -> float:
    """From two readings of (all, idle) time."""
    everything = after[0] - before[0]
    return 1.0 - (after[1] - before[1]) / everything if everything > 0 else 0.0


def quiet_within(seconds: float, waiting: Callable[[float], None]) -> float | None:
    """Wait until the machine is quiet; the share that others use where it never was."""
    deadline = time.monotonic() + seconds
    while (share := others_share()) > BUSY:
        if time.monotonic() > deadline:
            return share
        waiting(share)
    return None


def same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two descriptions are of machines whose results may stand side by side."""
    return all(one.get(key) == other.get(key) for key in ("processors", "model", "system", "python", "parts"))


def _processor_times() -> tuple[int, int]:
    fields = [int(part) for part in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(fields), fields[3] + fields[4]


def _model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _work() -> None:
    total = 0
    for number in range(_WORK):
        total += number % 7


def _timed(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
