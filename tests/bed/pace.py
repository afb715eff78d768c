"""Which tests `make test` leaves to `make test-all`: those that together would take it beyond ten minutes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

_TESTS: Final = Path(__file__).parents[1]

LONG_FOLDERS: Final = frozenset(
    {
        "crashes",
        "deploy",
        "discovery",
        "examples",
        "faults",
        "histories",
        "life",
        "manifests",
        "pipelines",
        "secrets",
        "watch",
    }
)
"""Whole stacks, fleets and clusters; single tests elsewhere carry the marker themselves."""


def mark_long(items: Iterable[pytest.Item]) -> None:
    """Mark every test of those folders."""
    for item in items:
        if item.path.relative_to(_TESTS).parts[0] in LONG_FOLDERS:
            item.add_marker(pytest.mark.long)
