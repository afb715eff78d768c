"""A plain `pulumi preview` of our program against one of a program that has the same resources hard-coded.

Only the official language host runs either of them: where it is not installed, there is nothing to measure.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import ROOT, Bed, servers
from bench.measurement import Measurement, Pair, Rounds
from bench.parts import LANGUAGE_HOST
from bench.stage import FAST_SETUP, stage

TYPES = 2
_PROGRAM = "from bench.programs.hard_coded import nested\n\nnested(1, {types})\n"


@contextmanager
def _opening(bed: Bed) -> Iterator[Pair]:
    with (
        servers(bed, 1, 0.0, TYPES) as asked,
        stage(bed, "plain") as ours,
        stage(bed, "plain-written") as written,
    ):
        ours.configure("live", asked)
        ours.discovering("live", "up", FAST_SETUP)
        written.configure("live", None)
        written.hard_coded("live", "nested", 1, TYPES, "up", FAST_SETUP)
        (written.root / "__main__.py").write_text(_PROGRAM.format(types=TYPES))
        (written.root / "bench").symlink_to(ROOT / "bench")
        shutil.rmtree(written.root / "__pycache__", ignore_errors=True)
        yield Pair(lambda: ours.plain_preview("live"), lambda: written.plain_preview("live"))


MEASUREMENTS = (
    (
        Measurement(
            "plain_preview",
            "a plain `pulumi preview` of our program ÷ one of the same resources hard-coded",
            _opening,
            goal=1.10,
            rounds=Rounds(7, 15),
        ),
    )
    if LANGUAGE_HOST
    else ()
)
