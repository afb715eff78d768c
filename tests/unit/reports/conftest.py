"""The browser in which people look at the page."""

from collections.abc import Iterator

import pytest

from lab.bed.chromium import Browser, find_chromium
from lab.bed.process import BedError


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium."""
    try:
        program = find_chromium()
    except BedError as error:
        pytest.fail(str(error), pytrace=False)
    with Browser(program) as running:
        yield running
