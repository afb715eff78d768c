"""The simulated server and the real one, in each version that is tested."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.bed.default_ports import default_ports
from lab.simulator.versions import TESTED, ServerVersion

DfsBinaries = Callable[[ServerVersion], Path]


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the servers that a test runs on."""

    real: bool
    version: ServerVersion

    def default_ports(self) -> AbstractContextManager[None]:
        """No other real server is where every server begins."""
        return default_ports() if self.real else nullcontext()

    def __str__(self) -> str:
        return f"{'real' if self.real else 'simulated'}-{self.version}"


_REAL: Final = tuple(Kind(True, version) for version in TESTED)

EVERY_KIND: Final = (*(Kind(False, version) for version in TESTED), *_REAL)

ENOUGH_KINDS: Final = (Kind(False, TESTED[-1]), *_REAL)
"""For what is slow, and the same in each version."""
