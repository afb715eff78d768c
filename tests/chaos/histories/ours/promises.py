"""What was promised about every command of every life, checked after each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.events import Place
from tests.chaos.histories.ours.cluster import Services
from tests.chaos.histories.ours.rules import Verdict, Why
from tests.chaos.histories.ours.state import Remembered

_REMOVING = frozenset({"delete", "replace", "delete-replaced", "create-replacement"})


class Promise(StrEnum):
    """What is never broken, however our own side goes wrong."""

    IDENTITY = "no Service loses its identity unless the rules, or an approval for that very state, say so"
    ONCE = "no answer counts as an absence twice"
    SHOWN = "what was shown is what happens, or nothing happens"
    OWN = "a server's outcome is its own: no other server changes it"


class BrokenPromiseError(AssertionError):
    """A promise did not hold."""

    def __init__(self, promise: Promise, how: str) -> None:
        super().__init__(f"{promise}: {how}")
        self.promise = promise


@dataclass(frozen=True, slots=True)
class Moment:
    """The stack between two runs."""

    services: Services
    memory: Remembered


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that is over, or the part of it that changes anything."""

    verdict: Verdict
    """What it must come to, by what was known when it was decided."""
    before: Moment
    after: Moment
    report: RunReport
    shown: RunReport | None
    """Its preview; None where nobody looked at one."""
    asked: Mapping[str, int]
    """Usable answers that this command was given, by server."""
    absence_polls: int
    moved: str = ""
    """What has changed between the preview and the update, if anything that matters."""
    soft: frozenset[Place] = frozenset()
    """Adapters whose Service others have damaged: how that is put right is not judged here."""
    failing: Place | None = None
    """An adapter whose Service cannot be created."""
    gone: frozenset[Place] = frozenset()
    """Adapters whose Service others had deleted when the command began."""
    joined: frozenset[Place] = frozenset()
    """Adapters of a server that was deployed by this command, which no preview can know."""

    @property
    def idle(self) -> bool:
        """Whether nothing has happened."""
        return self.before == self.after

    @property
    def must_stop(self) -> bool:
        """Whether the rules stop it."""
        return self.verdict.refused or bool(self.moved)

    @property
    def lost(self) -> list[Place]:
        """Adapters whose Service is not the same any more, or on its way out."""
        alive = {(key, it.uid) for key, it in self.after.services.items() if not it.dying}
        return [
            key[1] for key, it in self.before.services.items() if not it.dying and (key, it.uid) not in alive
        ]


def check(ran: Ran) -> None:
    """Every promise."""
    _check_counts(ran)
    _check_shown(ran)
    _check_identity(ran)
    _check_own(ran)


def check_idle(before: Moment, after: Moment, what: str) -> None:
    """Looking changes nothing."""
    if before != after:
        raise BrokenPromiseError(Promise.SHOWN, f"{what} has changed something: {_changes(before, after)}")


def _check_counts(ran: Ran) -> None:
    for place, (_, before) in ran.before.memory.items():
        heard = ran.asked.get(place.server, 0)
        _, after = ran.after.memory.get(place, (None, 0))
        gone = place in ran.lost and ran.verdict.removed.get(place, Why.ABSENT) is Why.ABSENT
        counted = (ran.absence_polls if gone and place not in ran.after.memory else after) - before
        missing = place not in ran.verdict.declared or ran.verdict.declared[place].count > 0
        if missing and counted > heard:
            raise BrokenPromiseError(
                Promise.ONCE, f"{place} went from {before} to {before + counted} by {heard} answers"
            )


def _check_identity(ran: Ran) -> None:
    for place in ran.lost:
        if ran.must_stop or place not in ran.verdict.removed:
            raise BrokenPromiseError(Promise.IDENTITY, f"the Service of {place} is another one, or gone")


def _check_shown(ran: Ran) -> None:
    if ran.shown is None:
        return
    if (ran.moved or not ran.shown.ok) and not ran.idle:
        why = ran.moved or "the preview was refused"
        raise BrokenPromiseError(Promise.SHOWN, f"{why}, and yet {_changes(ran.before, ran.after)}")
    shown = _operations(ran.shown)
    for place in ran.lost:
        if not shown.get(place, set()) & _REMOVING:
            raise BrokenPromiseError(Promise.SHOWN, f"nobody was shown that the Service of {place} goes")
    for key in ran.after.services.keys() - ran.before.services.keys():
        if key[1] not in shown and key[1] not in ran.joined:
            raise BrokenPromiseError(Promise.SHOWN, f"nobody was shown that a Service of {key[1]} comes")
    if ran.moved and ran.report.ok and shown:
        raise BrokenPromiseError(Promise.SHOWN, f"{ran.moved}, and the command says that all is done")


def _check_own(ran: Ran) -> None:
    if ran.must_stop or not ran.report.ok:
        _check_stopped(ran)
        return
    wanted = {(it.namespace, place): it for place, it in ran.verdict.declared.items()}
    # A command that looks first finds out what others have deleted.
    spared = ran.soft - ran.gone if ran.shown is not None else ran.soft
    for key in wanted.keys() ^ ran.after.services.keys():
        if key[1] not in spared:
            how = "should be there" if key in wanted else "should not be there"
            raise BrokenPromiseError(Promise.OWN, f"the Service of {key[1]} in namespace {key[0]} {how}")
    for key in wanted.keys() & ran.after.services.keys():
        it, live = wanted[key], ran.after.services[key]
        if key[1] not in ran.soft and (live.port, live.count) != (it.port, it.count):
            raise BrokenPromiseError(
                Promise.OWN,
                f"the Service of {key[1]} leads to {live.port} and is absent {live.count} times, "
                f"not to {it.port} and {it.count}",
            )
    remembered = {place: (it.port, it.count) for place, it in ran.verdict.declared.items()}
    if remembered != ran.after.memory:
        raise BrokenPromiseError(
            Promise.OWN, f"{remembered} should be remembered, and it is {ran.after.memory}"
        )


def _check_stopped(ran: Ran) -> None:
    damaged = bool(ran.soft) or ran.failing in ran.verdict.declared
    if not ran.must_stop and not damaged:
        said = "; ".join(ran.report.lines("error"))
        raise BrokenPromiseError(Promise.OWN, f"the whole run stops: {said}")
    if ran.must_stop and ran.report.ok and not ran.idle:
        raise BrokenPromiseError(Promise.IDENTITY, "a run that would lose Services is not stopped")
    if not ran.idle and (ran.must_stop or not damaged):
        changed = _changes(ran.before, ran.after)
        raise BrokenPromiseError(Promise.SHOWN, f"a run that stops has changed {changed}")


def _operations(report: RunReport) -> dict[Place, set[str]]:
    found: dict[Place, set[str]] = {}
    for step in report.steps:
        if step.type == "kubernetes:core/v1:Service" and "/" in step.name:
            found.setdefault(Place(*step.name.split("/", 1)), set()).add(step.operation)
    return found


def _changes(before: Moment, after: Moment) -> str:
    services = {
        str(key[1])
        for key in before.services.keys() | after.services.keys()
        if before.services.get(key) != after.services.get(key)
    }
    memory = {
        str(place)
        for place in before.memory.keys() | after.memory.keys()
        if before.memory.get(place) != after.memory.get(place)
    }
    return f"Services {sorted(services)}, memory {sorted(memory)}"
