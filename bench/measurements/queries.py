"""What `adapters` and `status` cost against a preview, of which they are told the half that people look for.

Both tell what the next run would do, and why, from the state, the servers' answers and the rules, without an
engine. The server answers at once: how long it takes is the same for all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, run, servers
from bench.measurement import Measurement, Opening, Pair, Rounds
from bench.stage import COMMAND, FAST_SETUP, Stage, stage

STACK = "live"


def _took(project: Stage, command: str) -> float:
    return run(["-c", COMMAND, command, STACK, "--json"], project.root, project.environment)[0]


def _opening(command: str) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with servers(bed, 1, 0.0) as asked, stage(bed, command) as project:
            project.configure(STACK, asked)
            project.discovering(STACK, "up", FAST_SETUP)
            yield Pair(lambda: _took(project, command), lambda: _took(project, "preview"))

    return opening


def _measurement(command: str, *, checked: bool) -> Measurement:
    return Measurement(
        command,
        f"`dittoinfra {command}` of one stack ÷ `dittoinfra preview` of it",
        _opening(command),
        goal=0.5,
        rounds=Rounds(7, 15),
        checked=checked,
    )


MEASUREMENTS = (
    _measurement("adapters", checked=True),
    # The same work, and a little more to show.
    _measurement("status", checked=False),
)
