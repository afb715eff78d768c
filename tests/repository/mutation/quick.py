"""A pytest plugin for thousands of short runs: the cheapest test that can tell comes first."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

STATISTICS = Path("mutmut-stats.json")
"""What mutmut knows of the tests, in the folder that it runs them in; not there before its first run."""

# The same examples in every run, so that a verdict can be repeated; nothing that a slow machine fails by;
# and no search for the smallest example, which is not read here.
settings.register_profile(
    "mutants",
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by the time that they took, new ones first."""
    took: dict[str, float] = (
        json.loads(STATISTICS.read_text())["duration_by_test"] if STATISTICS.is_file() else {}
    )
    items.sort(key=lambda item: took.get(item.nodeid, 0.0))
    for item in items:
        # mutmut 3.8 asks for an attribute that pytest has renamed.
        vars(item).setdefault("_nodeid", item.nodeid)
