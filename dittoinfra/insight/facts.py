"""Everything that is found out about one stack before anything is said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.automation import RunReport
from dittoinfra.insight.held import HeldState
from dittoinfra.program import RunRecord
from dittoinfra.program.live import Place


@dataclass(frozen=True, slots=True)
class Live:
    """The cluster told which of the stack's Services exist, and how."""

    services: Mapping[Place, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotTold:
    """The cluster told nothing."""

    why: str


@dataclass(frozen=True, slots=True)
class Facts:
    """One stack, as its servers, its state, its cluster and its backend show it."""

    stack: str
    record: RunRecord
    """What the servers said, and what that comes to."""
    foretold: RunReport
    """The preview of the next run."""
    held: HeldState
    live: Live | NotTold
    history: Sequence[Mapping[str, Any]] = ()
    """Newest first."""
