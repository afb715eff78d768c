"""What was measured, as a file that is committed and compared against."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

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
    """Everything that is known of one machine."""

    machine: Mapping[str, Any]
    results: Mapping[str, Result] = field(default_factory=dict)

    def with_more(self, more: Mapping[str, Result]) -> "Results":
        """The same, and newer ones in place of older ones."""
        return Results(self.machine, {**self.results, **more})


def result_of(measured: Measurement, samples: Samples, facts: tuple[Fact, ...]) -> Result:
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
    )


def write(results: Results, path: Path = PATH) -> None:
    """The same results give the same bytes."""
    document = {
        "machine": dict(results.machine),
        "results": {name: _rounded(asdict(result)) for name, result in sorted(results.results.items())},
    }
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path = PATH) -> Results | None:
    """What was committed; None where nothing was."""
    if not path.exists():
        return None
    document = json.loads(path.read_text(encoding="utf-8"))
    return Results(document["machine"], {name: _result(it) for name, it in document["results"].items()})


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
