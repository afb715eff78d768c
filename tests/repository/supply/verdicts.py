"""What an audit comes to: nothing known, something known, and not asked are three things. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Clean:
    """Everything was asked about, and nothing is known."""

    asked: str


@dataclass(frozen=True, slots=True)
class Known:
    """Something is known: one line for each."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Unknown: the advisories were not reached, or not for everything."""

    why: str


Verdict = Clean | Known | NotAsked


def judged(dependencies: Sequence[dict[str, Any]], wanted: set[str]) -> Verdict:
    """What pip-audit's list says about the packages that it was to ask about."""
    lines = tuple(_line(each, known) for each in dependencies for known in each.get("vulns", ()))
    if lines:
        return Known(lines)
    unasked = sorted(wanted - {each["name"] for each in dependencies if "skip_reason" not in each})
    if unasked:
        return NotAsked(f"{len(unasked)} of {len(wanted)} packages were left out: {', '.join(unasked)}")
    return Clean(f"{len(wanted)} packages")


def _line(package: dict[str, Any], known: dict[str, Any]) -> str:
    fixed = ", ".join(known["fix_versions"]) or "no version yet"
    return f"{package['name']} {package['version']}: {known['id']}, fixed in {fixed}"


def told(subject: str, verdict: Verdict) -> Iterator[str]:
    """A verdict for people; only one that was reached sounds like one."""
    match verdict:
        case Clean(asked):
            yield f"{subject}: nothing known against {asked}"
        case Known(lines):
            yield from (f"{subject}: KNOWN: {line}" for line in lines)
        case NotAsked(why):
            yield f"{subject}: NOT AUDITED: {why}; run again where api.osv.dev and vuln.go.dev can be reached"


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """Something known is worse than nothing asked, and nothing asked is not nothing known."""
    if any(isinstance(verdict, Known) for verdict in verdicts):
        return 1
    return 2 if any(isinstance(verdict, NotAsked) for verdict in verdicts) else 0
