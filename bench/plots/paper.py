"""What all pictures have in common: size, colours, and files that are the same whenever they are drawn."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

from bench.results import Results

mpl.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, OURS, FLOOR, GOAL = "#24292f", "#0969da", "#8c959f", "#cf222e"

Drawing = Callable[[Axes, Results], bool]
"""Draws, and says whether there was anything to draw."""

_STYLE: dict[Any, Any] = {  # the stubs know every name there is, and no dict of some
    "svg.hashsalt": "dittoinfra",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#d0d7de",
    "legend.frameon": False,
}


def save(drawing: Drawing, results: Results, path: Path) -> Iterator[Path]:
    """One picture in both formats, without a date in either."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 3.8), layout="constrained", facecolor="white")
        if not drawing(figure.add_subplot(), results):
            return
        for suffix, metadata in ((".svg", {"Date": None}), (".png", {"Software": None})):
            target = path.with_suffix(suffix)
            figure.savefig(target, metadata=metadata, dpi=110)
            yield target
