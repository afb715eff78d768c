"""Every ratio that has a goal, as a share of it."""

from matplotlib.axes import Axes

from bench.plots.paper import GOAL, INK, OURS
from bench.results import Results


def draw(axes: Axes, results: Results) -> bool:
    """One bar for each; what ends left of the line is met."""
    aimed = [(each, each.goal) for each in results.results.values() if each.goal]
    if not aimed:
        return False
    names = [f"{each.name}  {each.spread.median:.2f} of {goal:g}" for each, goal in aimed]
    shares = [each.spread.median / goal for each, goal in aimed]
    apart = [
        [(each.spread.median - each.spread.low) / goal for each, goal in aimed],
        [(each.spread.high - each.spread.median) / goal for each, goal in aimed],
    ]
    axes.barh(names, shares, xerr=apart, color=OURS, ecolor=INK, height=0.6)
    axes.axvline(1.0, color=GOAL, linewidth=1.5)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("ratio as a share of its goal (bar: median, line: 95 % interval)")
    return True
