"""What was measured, when and of which commit, as a file that is committed and compared against."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.machine import same_kind
from bench.measurement import Fact, Measurement
from bench.sampling import Samples
from bench.spread import Spread, percentile, spread
from bench.verdict import WIDEST, Verdict, verdict

PATH = Path(__file__).parent / "results.json"


@dataclass(frozen=True, slots=True)
class Result:
    """What one measurement came to."""

    name: str
    what: str
    unit: str
    goal: float | None
    spread: Spread
    p95: float
    subject: float
    """Median of the subject itself."""
    floor: float | None
    facts: tuple[Fact, ...] = ()
    widest: float = WIDEST
    measured: str = ""
    """The day, and the commit that was measured."""
    noisy_since: str = ""
    """The same of a later try whose samples told nothing: what is kept may be outdated."""

    @property
    def verdict(self) -> Verdict:
        """What can be said about the goal."""
        return verdict(self.spread, self.goal, self.widest)

    @property
    def broken(self) -> tuple[Fact, ...]:
        """Facts beyond their limits."""
        return tuple(fact for fact in self.facts if not fact.kept)


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that is known of one kind of machine, with the parts that are installed there."""

    machine: Mapping[str, Any]
    results: Mapping[str, Result] = field(default_factory=dict)

    def with_one(self, found: Result) -> "Results":
        """With a newer result in place of an older one, or, where it tells nothing, with a mark on that."""
        if found.verdict.kept:
            return Results(self.machine, {**self.results, found.name: found})
        if (before := self.results.get(found.name)) is None:
            return self
        return Results(
            self.machine, {**self.results, found.name: replace(before, noisy_since=found.measured)}
        )


def result_of(measured: Measurement, samples: Samples, facts: tuple[Fact, ...], when: str = "") -> Result:
    """What samples come to."""
    return Result(
        measured.name,
        measured.what,
        measured.unit,
        measured.goal,
        samples.spread,
        percentile(samples.ratios, 0.95),
        spread(samples.subject).median,
        spread(samples.floor).median if samples.floor else None,
        facts,
        measured.widest,
        when,
    )


def store(machine: Mapping[str, Any], found: Result, path: Path = PATH) -> None:
    """Keep a result with the others of its kind of machine, which come first; those of another kind stay."""
    kinds = _read_all(path)
    same = next((each for each in kinds if same_kind(each.machine, machine)), Results(machine))
    current = Results(machine, same.results).with_one(found)
    write([current, *(each for each in kinds if each is not same)], path)


def write(kinds: Sequence[Results], path: Path = PATH) -> None:
    """The same results give the same bytes."""
    document = [
        {
            "machine": dict(each.machine),
            "results": {name: _rounded(asdict(result)) for name, result in sorted(each.results.items())},
        }
        for each in kinds
    ]
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path = PATH) -> Results | None:
    """What was committed last; None where nothing was."""
    return next(iter(_read_all(path)), None)


def _read_all(path: Path) -> list[Results]:
    if not path.exists():
        return []
    return [
        Results(document["machine"], {name: _result(it) for name, it in document["results"].items()})
        for document in json.loads(path.read_text(encoding="utf-8"))
    ]


def _result(document: dict[str, Any]) -> Result:
    return Result(
        **{
            **document,
            "spread": Spread(**document["spread"]),
            "facts": tuple(Fact(**fact) for fact in document["facts"]),
        }
    )


def _rounded(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Four digits tell everything that such samples know, and make a file that can be reviewed."""
    match value:
        case float():
            return float(f"{value:.4g}")
        case dict():
            return {key: _rounded(each) for key, each in value.items()}
        case list() | tuple():
            return [_rounded(each) for each in value]
        case _:
            return value
