"""What the requirements files pin."""

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RUNTIME = ROOT / "requirements.txt"
DEVELOPMENT = ROOT / "requirements-dev.txt"

_PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?"
    r"==(?P<version>[0-9][\w.+!]*)(?P<hashes>( --hash=sha256:[0-9a-f]{64})+)"
)


class NotPinnedError(ValueError):
    """A line that says anything but a name, one version and hashes: a host, a path, a range, an option."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of one package."""

    name: str
    version: str
    hashes: frozenset[str]


def pins(requirements: str) -> dict[str, Pin]:
    """Every pin of a requirements file by name, or `NotPinnedError` with the first line that is none."""
    found: dict[str, Pin] = {}
    for line in _lines(requirements):
        match = _PIN.fullmatch(line)
        if match is None:
            raise NotPinnedError(f"{line!r} is not name==version with sha256 hashes; run `make lock`")
        name = canonicalize_name(match["name"])
        found[name] = Pin(name, match["version"], frozenset(match["hashes"].split()))
    return found


def _lines(requirements: str) -> list[str]:
    """Whole lines, without comments and the signs that continue them."""
    told = (line for line in requirements.splitlines() if not line.lstrip().startswith("#"))
    whole = "\n".join(told).replace("\\\n", " ")
    return [" ".join(line.split()) for line in whole.splitlines() if line.strip()]
