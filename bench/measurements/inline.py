"""What `dittoinfra preview` costs as a command, for one stack and for each further one.

The plain `pulumi preview` starts an interpreter of its own for every stack, by the official language host.
Where that is not installed, the floor is everything else it does: a fresh interpreter, the CLI, the engine,
and the program's imports, which are hidden here behind the CLI's start, as no language host can. That is a
lower bound of the plain preview: a goal met against it is met.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, run, servers
from bench.measurement import Fact, Measurement, Pair, Rounds
from bench.parts import LANGUAGE_HOST
from bench.spread import spread
from bench.stage import COMMAND, FAST_SETUP, Stage, stage

FURTHER = 4
LATENCY = 0.1
_AGAINST = "a plain `pulumi preview`" if LANGUAGE_HOST else "all of a plain preview but its language host"


@contextmanager
def _project(bed: Bed, name: str) -> Iterator[tuple[Stage, tuple[str, ...]]]:
    with servers(bed, 1 + FURTHER, LATENCY) as asked, stage(bed, name) as project:
        stacks = tuple(f"stack-{number}" for number in range(1 + FURTHER))
        for stack in stacks:
            project.configure(stack, asked)
            project.discovering(stack, "up", FAST_SETUP)
        yield project, stacks


def _command(project: Stage, *stacks: str) -> float:
    return run(["-c", COMMAND, "preview", *stacks, "--json"], project.root, project.environment)[0]


def _plain(project: Stage, stack: str) -> float:
    if LANGUAGE_HOST is None:
        return project.discovering(stack).whole
    return project.plain_preview(stack)


@contextmanager
def _further(bed: Bed) -> Iterator[Pair]:
    with _project(bed, "inline") as (project, stacks):

        def each() -> float:
            return (_command(project, *stacks) - _command(project, stacks[0])) / FURTHER

        yield Pair(each, lambda: _plain(project, stacks[0]))


@contextmanager
def _cold(bed: Bed) -> Iterator[Pair]:
    with _project(bed, "inline-cold") as (project, stacks):
        parts: dict[str, list[float]] = {"interpreter and SDK": [], "the engine's preview": []}

        def plain() -> float:
            took = project.discovering(stacks[0])
            parts["interpreter and SDK"].append(took.whole - took.operation)
            parts["the engine's preview"].append(took.operation)
            return took.whole if LANGUAGE_HOST is None else _plain(project, stacks[0])

        def facts() -> tuple[Fact, ...]:
            return tuple(Fact(name, spread(seconds).median, "s") for name, seconds in parts.items())

        yield Pair(lambda: _command(project, stacks[0]), plain, facts)


MEASUREMENTS = (
    Measurement(
        "inline",
        f"each further stack in one `dittoinfra preview` ÷ {_AGAINST}",
        _further,
        goal=0.5,
        rounds=Rounds(7, 15),
    ),
    Measurement(
        "inline_cold",
        f"the whole `dittoinfra preview` of one stack ÷ {_AGAINST}",
        _cold,
        goal=0.7 if LANGUAGE_HOST else None,
        rounds=Rounds(7, 15),
    ),
)
