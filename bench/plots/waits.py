"""How long a change waits, beside what the operator's own interval makes it wait at the least."""

from matplotlib.axes import Axes

from bench.plots.paper import FLOOR, INK, OURS
from bench.results import Results

OPERATOR = (15.0, 28.5)
"""Median and 95th percentile of a wait between 0 and 30 s: arithmetic, not measured."""


def draw(axes: Axes, results: Results) -> bool:
    """Two bars for each: the median, and the 95th percentile."""
    shown = [("operator's interval alone\n(computed)", *OPERATOR, FLOOR)]
    for name, label in (("react", "watch"), ("react_1000", "watch, 1,000 servers")):
        result = results.results.get(name)
        if result is not None:
            shown.append((f"{label}\n(whole way)", result.spread.median, result.p95, OURS))
    if len(shown) == 1:
        return False
    for place, (_, median, p95, colour) in enumerate(shown):
        axes.bar(place - 0.2, median, width=0.38, color=colour)
        axes.bar(place + 0.2, p95, width=0.38, color=colour, alpha=0.5)
    axes.set_xticks(range(len(shown)), [label for label, *_ in shown], color=INK)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("seconds: median, and 95th percentile (pale)")
    return True
