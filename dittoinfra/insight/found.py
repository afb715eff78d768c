"""Which servers a stack finds in its cluster, without asking any of them anything."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from dittoinfra.automation import ProjectStack, RunReport
from dittoinfra.model import FoundServer, Unreachable
from dittoinfra.program import Answers, LiveInquiry, RecordedInquiry, RunRecord, RunStopped, Surroundings
from dittoinfra.program.inquiry import Asking
from dittoinfra.settings import ServerSettings, StackSettings


@dataclass(frozen=True, slots=True)
class ListingOnly(LiveInquiry):
    """Lists what the cluster has, and leaves every server in peace."""

    @override
    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Nobody."""
        silence = {server.name: (Unreachable("not asked"),) for server in servers}
        return RecordedInquiry(Answers(silence)).ask(stack, servers, found)

    @override
    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Nothing: what is around the servers is not asked for here."""
        del servers, unlocated
        return Surroundings()


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, and why there may be more."""

    servers: tuple[FoundServer, ...]
    gaps: tuple[str, ...]


def found_servers(stack: ProjectStack) -> Found | RunReport:
    """The servers beside the configured ones, or the report of a run that did not come so far."""

    def enough(_: RunRecord) -> None:
        raise RunStopped(["the servers are known"])

    looking = replace(stack, inquiry=ListingOnly(stack.root, stack.environment), on_decided=enough)
    report = looking.preview()
    if report.decided is None:
        return report
    listings = report.decided.answers.listings
    return Found(report.decided.found, tuple(gap.why for listing in listings for gap in listing.gaps))
