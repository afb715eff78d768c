"""Marks tests that only `make test-all` runs, and tests that are never rerun."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

_TESTS: Final = Path(__file__).parents[2] / "tests"

LONG_FOLDERS: Final = frozenset(
    {
        "chaos",
        "contract/provider",
        "contract/standin",
        "engine/backends",
        "engine/component",
        "engine/deploy",
        "engine/discovery",
        "engine/examples",
        "engine/lifecycle",
        "engine/policy",
        "engine/promise",
        "engine/provider",
        "engine/secrets",
        "engine/watch",
        "repository/manifests",
        "repository/pipelines",
        "repository/project",
        "unit/stacks",
    }
)
"""Whole stacks, fleets and clusters; single tests elsewhere carry the marker themselves."""

NEVER_RERUN: Final = frozenset({"chaos", "pure"})
"""A promise that broke once is broken, and what is pure cannot be late."""


def mark_long(items: Iterable[pytest.Item]) -> None:
    """Mark every test in `LONG_FOLDERS`."""
    for item in items:
        if _folders(item) & LONG_FOLDERS:
            item.add_marker(pytest.mark.long)


def mark_never_rerun(items: Iterable[pytest.Item]) -> None:
    """Mark every test whose first result counts, even with `--reruns`."""
    for item in items:
        if _folders(item) & NEVER_RERUN:
            item.add_marker(pytest.mark.flaky(reruns=0))


def _folders(item: pytest.Item) -> set[str]:
    return {str(folder) for folder in item.path.relative_to(_TESTS).parents}
