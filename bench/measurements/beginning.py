"""How soon the first poll is on the wire, in multiples of what every Pulumi program imports anyway."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, run, servers
from bench.measurement import Fact, Measurement, Pair, Rounds
from bench.spread import spread

LATENCY = 0.1
_IMPORT = "import time; began = time.monotonic(); import pulumi; print(time.monotonic() - began)"


@contextmanager
def _opening(bed: Bed) -> Iterator[Pair]:
    with servers(bed, 1, LATENCY) as asked:
        hidden: list[float] = []

        def first_poll() -> float:
            asked.counted(forget=True)
            command = ["-m", "bench.programs.beginning", asked.urls()[0]]
            _, printed = run(command, bed.folder, bed.environment())
            times = json.loads(printed.splitlines()[-1])
            polled, waited = times["heard"] - times["asked"], times["heard"] - times["waited"]
            hidden.append(1.0 - waited / polled)
            return float(asked.counted()["first_request"] - times["began"])

        def import_pulumi() -> float:
            return float(run(["-c", _IMPORT], bed.folder, bed.environment())[1])

        def facts() -> tuple[Fact, ...]:
            return (Fact("polling hidden behind imports", 100 * spread(hidden).median, "%"),)

        yield Pair(first_poll, import_pulumi, facts)


MEASUREMENTS = (
    Measurement(
        "import",
        "from the program's first line to the first poll on the wire ÷ `import pulumi`",
        _opening,
        rounds=Rounds(7, 15),
    ),
)
