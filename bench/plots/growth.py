"""How costs grow with what there is."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from bench.plots.paper import FLOOR, GOAL, INK, OURS
from bench.results import Result, Results


def polls(axes: Axes, results: Results) -> bool:
    """The polling phase over the number of servers."""
    drawn = _curve(axes, results, "poll_", lambda each: each.subject, "all of them", OURS)
    _curve(axes, results, "poll_", lambda each: each.floor or 0.0, "one of them alone", FLOOR)
    for name, goal in ((100, 3.0), (1000, 6.0)):
        one = results.results.get(f"poll_{name}")
        if one is not None and one.floor:
            axes.plot([name], [goal * one.floor], marker="_", markersize=18, color=GOAL)
    return drawn and _named(axes, "servers, each answer 100 ms late", "seconds (red: goals)")


def resources(axes: Axes, results: Results) -> bool:
    """A preview over the number of adapters."""
    drawn = _curve(axes, results, "resource_", lambda each: each.subject, "ours, asking the servers", OURS)
    _curve(axes, results, "resource_", lambda each: each.floor or 0.0, "Services hard-coded", FLOOR)
    return drawn and _named(axes, "adapters", "seconds of one preview")


def decisions(axes: Axes, results: Results) -> bool:
    """The decision over the number of adapters."""
    drawn = _curve(axes, results, "decide_", lambda each: each.subject, "deciding", OURS)
    _curve(axes, results, "decide_", lambda each: each.floor or 0.0, "reading the JSON", FLOOR)
    return drawn and _named(axes, "adapters", "seconds")


def backend(axes: Axes, results: Results) -> bool:
    """A first update over the number of Services."""
    drawn = _curve(axes, results, "backend_", lambda each: each.subject, "state written at every step", OURS)
    _curve(axes, results, "backend_", lambda each: each.floor or 0.0, "state written once", FLOOR)
    if drawn:
        axes.set_xlabel("Services created on a file backend")
        axes.set_ylabel("seconds")
        axes.legend()
    return drawn


def _curve(
    axes: Axes, results: Results, prefix: str, value: Callable[[Result], float], label: str, colour: str
) -> bool:
    points = sorted(
        (int(name.removeprefix(prefix)), value(each))
        for name, each in results.results.items()
        if name.startswith(prefix)
    )
    # Two points are a line, whatever lies between them.
    if len(points) < 3:
        return False
    axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=label, color=colour)
    return True


def _named(axes: Axes, below: str, beside: str) -> bool:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(below, color=INK)
    axes.set_ylabel(beside, color=INK)
    axes.legend()
    return True
