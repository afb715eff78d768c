"""The recorded scenarios, and where the stand-in is excused from them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import yaml

from tests.contract.provider.play import HERE
from tests.contract.provider.transcript import SLOW, differences

VERSION: Final = "4.32.0"
"""The official provider that was recorded."""

TRANSCRIPTS: Final = HERE / "transcripts" / VERSION

OWN_KINDS: Final = frozenset({"configmap", "networkpolicy", "secret", "service", "statefulset"})
"""What dittoinfra declares; the first word of a scenario's name says what it is about."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One field of one scenario in which the stand-in answers otherwise, and why."""

    scenario: str
    field: str
    reason: str


def scenarios() -> list[str]:
    """Every scenario by name."""
    return sorted(path.stem for path in (HERE / "scenarios").glob("*.yaml"))


@cache
def recorded(name: str) -> Mapping[str, Any]:
    """What the official provider did."""
    transcript: Mapping[str, Any] = json.loads((TRANSCRIPTS / f"{name}.json").read_text(encoding="utf-8"))
    return transcript


def is_slow(name: str) -> bool:
    """Whether the scenario is mostly waiting."""
    return any(step.get("time") in SLOW for step in recorded(name)["steps"])


@cache
def deviations() -> tuple[Deviation, ...]:
    """Where the stand-in is excused."""
    entries = yaml.safe_load((HERE / "deviations.yaml").read_text(encoding="utf-8"))
    return tuple(Deviation(**entry) for entry in entries)


def found(name: str, played: Mapping[str, Any]) -> Iterator[str]:
    """Every difference that is not excused, one line each."""
    excused = {deviation.field for deviation in deviations() if deviation.scenario == name}
    return differences(recorded(name), played, frozenset(excused) | {"idea"})
