"""Results for people: one line each. Pure."""

from collections.abc import Iterable, Sequence

from bench.measurement import Fact
from bench.results import Result

HEADER = ("", "median", "95 % interval", "goal", "verdict", "itself", "floor")


def lines(results: Iterable[Result]) -> list[str]:
    """A table, the columns as wide as they need to be, and facts below their result."""
    rows = [HEADER, *(row for result in results for row in _rows(result))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return [_line(row, widths) for row in rows]


def line(result: Result) -> str:
    """The same on one line."""
    return "  ".join(cell for cell in next(iter(_rows(result))) if cell)


def seconds(value: float | None) -> str:
    """A time that can be read."""
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.3g} ms"


def _rows(result: Result) -> Iterable[tuple[str, ...]]:
    found, verdict = result.spread, result.verdict
    why = f": {verdict.why}" if verdict.why else ""
    is_time = result.unit in ("s", "")
    yield (
        result.name,
        f"{found.median:.3g} {result.unit}".strip(),
        f"{found.low:.3g} … {found.high:.3g} ({found.count})",
        f"≤ {result.goal:g}" if result.goal is not None else "",
        f"{verdict.standing}{why}",
        seconds(result.subject) if is_time else "",
        seconds(result.floor),
    )
    for fact in result.facts:
        yield _fact_row(fact)


def _fact_row(fact: Fact) -> tuple[str, ...]:
    most = "" if fact.most is None else f"≤ {fact.most:g}"
    said = "" if fact.most is None else ("met" if fact.kept else "missed")
    return (f"  {fact.name}", f"{fact.value:.3g} {fact.unit}".strip(), "", most, said, "", "")


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
