"""The pictures that docs/performance.md shows, drawn from the results and from nothing else."""

from collections.abc import Iterator
from pathlib import Path

from bench.plots import goals, growth, waits
from bench.plots.paper import Drawing, save
from bench.results import Results

FOLDER = Path(__file__).parents[2] / "docs" / "performance"

DRAWINGS: dict[str, Drawing] = {
    "goals": goals.draw,
    "polls": growth.polls,
    "resources": growth.resources,
    "decisions": growth.decisions,
    "backend": growth.backend,
    "reactions": waits.draw,
}


def draw(results: Results, folder: Path = FOLDER) -> Iterator[Path]:
    """Every picture that there are results for, as SVG and as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in DRAWINGS.items():
        yield from save(drawing, results, folder / name)
