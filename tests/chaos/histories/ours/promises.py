"""The promises about every command, checked after each one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.ours.cluster import ContainerPorts, Services
from tests.chaos.histories.ours.events import DEPLOYED
from tests.chaos.histories.ours.rules import RemovalReason, Verdict
from tests.chaos.histories.ours.state import Remembered

_REMOVING = frozenset({"delete", "replace", "delete-replaced", "create-replacement"})


class Promise(StrEnum):
    """What must hold despite mistakes of users and concurrent runs."""

    IDENTITY = "no Service loses its identity unless the rules, or an approval for that very state, say so"
    ONCE = "no answer counts as an absence twice"
    SHOWN = "what was shown is what happens, or nothing happens"
    OWN = "a server's outcome is its own: no other server changes it"
    TOLD = "watch tells every removal, and nothing else, before and after it"
    SECRET = "a value that is encrypted in the configuration is nowhere in plain text"


class BrokenPromiseError(AssertionError):
    """A promise did not hold."""

    def __init__(self, promise: Promise, how: str) -> None:
        super().__init__(f"{promise}: {how}")
        self.promise = promise


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The stack between two runs."""

    services: Services
    memory: Remembered
    ports: ContainerPorts | None
    """Those of the server that the stack deploys; None if it is not deployed."""


@dataclass(frozen=True, slots=True)
class Told:
    """The removals that a run of watch has told."""

    before: frozenset[AdapterName]
    after: frozenset[AdapterName]


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command, or the part of it that writes."""

    verdict: Verdict
    """What it must come to, by what was known when it was decided."""
    before: Snapshot
    after: Snapshot
    report: RunReport
    shown: RunReport | None
    """Its preview; None without one."""
    asked: Mapping[str, int]
    """Usable answers that this command was given, by server."""
    absence_polls: Callable[[str], int]
    """How many absences remove an adapter of a server."""
    moved: str = ""
    """What has changed between the preview and the update, if anything that matters."""
    disturbed: bool = False
    """Whether another run has changed resources since the preview, but nothing that is remembered: the update
    may stop for that."""
    edited: frozenset[AdapterName] = frozenset()
    """Adapters whose Service was edited by others: their repair is not checked here."""
    failing: AdapterName | None = None
    """An adapter whose Service cannot be created."""
    gone: frozenset[AdapterName] = frozenset()
    """Adapters whose Service others had deleted when the command began."""
    joined: frozenset[AdapterName] = frozenset()
    """Adapters of a server that was deployed by this command, which no preview can know."""
    counts: bool = True
    """Whether absences count."""
    told: Told | None = None
    """None where it is not watch that runs."""

    @property
    def idle(self) -> bool:
        """Whether nothing has changed."""
        return self.before == self.after

    @property
    def must_stop(self) -> bool:
        """Whether it must be refused."""
        return self.verdict.refused or bool(self.moved)

    @property
    def lost(self) -> list[AdapterName]:
        """Adapters whose Service is gone, being deleted, or another one."""
        alive = {(key, it.uid) for key, it in self.after.services.items() if not it.terminating}
        return [
            key[1]
            for key, it in self.before.services.items()
            if not it.terminating and (key, it.uid) not in alive
        ]


def check(ran: Ran) -> None:
    """Check every promise."""
    _check_counts(ran)
    _check_shown(ran)
    _check_identity(ran)
    _check_told(ran)
    _check_own(ran)
    _check_ports(ran)


def check_idle(before: Snapshot, after: Snapshot, what: str) -> None:
    """Check that a read-only command has changed nothing."""
    if before != after:
        raise BrokenPromiseError(Promise.SHOWN, f"{what} has changed something: {_changes(before, after)}")


def _check_counts(ran: Ran) -> None:
    for adapter, (_, before) in ran.before.memory.items():
        heard = ran.asked.get(adapter.server, 0) if ran.counts else 0
        _, after = ran.after.memory.get(adapter, (None, 0))
        gone = (
            adapter in ran.lost
            and ran.verdict.removed.get(adapter, RemovalReason.ABSENT) is RemovalReason.ABSENT
        )
        removed = gone and adapter not in ran.after.memory
        counted = (ran.absence_polls(adapter.server) if removed else after) - before
        missing = adapter not in ran.verdict.declared or ran.verdict.declared[adapter].count > 0
        if (missing or not ran.counts) and counted > heard:
            raise BrokenPromiseError(
                Promise.ONCE, f"{adapter} went from {before} to {before + counted} by {heard} answers"
            )


def _check_identity(ran: Ran) -> None:
    for adapter in ran.lost:
        if ran.must_stop or adapter not in ran.verdict.removed:
            raise BrokenPromiseError(Promise.IDENTITY, f"the Service of {adapter} is another one, or gone")


def _check_shown(ran: Ran) -> None:
    if ran.shown is None:
        return
    if (ran.moved or not ran.shown.ok) and not ran.idle:
        why = ran.moved or "the preview was refused"
        raise BrokenPromiseError(Promise.SHOWN, f"{why}, and yet {_changes(ran.before, ran.after)}")
    shown = _operations(ran.shown)
    for adapter in ran.lost:
        if not shown.get(adapter, set()) & _REMOVING:
            raise BrokenPromiseError(Promise.SHOWN, f"it was not shown that the Service of {adapter} goes")
    for key in ran.after.services.keys() - ran.before.services.keys():
        if key[1] not in shown and key[1] not in ran.joined:
            raise BrokenPromiseError(Promise.SHOWN, f"it was not shown that a Service of {key[1]} comes")
    if ran.moved and ran.report.ok and shown:
        raise BrokenPromiseError(Promise.SHOWN, f"{ran.moved}, and the command says that all is done")


def _check_told(ran: Ran) -> None:
    if ran.told is None:
        return
    lost = set(ran.lost)
    # Of an adapter without a Service there is nothing to lose.
    standing = {adapter for (_, adapter), it in ran.before.services.items() if not it.terminating}
    before, after = ran.told.before & standing, ran.told.after & standing
    if after != lost or not (before == lost if ran.report.ok else before >= lost):
        said = f"told before: {_names(before)}; told after: {_names(after)}"
        raise BrokenPromiseError(Promise.TOLD, f"removed: {_names(lost)}; {said}")


def _names(adapters: Iterable[AdapterName]) -> str:
    return ", ".join(sorted(map(str, adapters))) or "none"


def _check_own(ran: Ran) -> None:
    if ran.must_stop or not ran.report.ok:
        _check_stopped(ran)
        return
    wanted = {(it.namespace, adapter): it for adapter, it in ran.verdict.declared.items()}
    # A command that looks first finds out what others have deleted.
    spared = ran.edited - ran.gone if ran.shown is not None else ran.edited
    for key in wanted.keys() ^ ran.after.services.keys():
        if key[1] not in spared:
            how = "should be there" if key in wanted else "should not be there"
            raise BrokenPromiseError(Promise.OWN, f"the Service of {key[1]} in namespace {key[0]} {how}")
    for key in wanted.keys() & ran.after.services.keys():
        it, live = wanted[key], ran.after.services[key]
        if key[1] not in ran.edited and (live.port, live.count) != (it.port, it.count):
            raise BrokenPromiseError(
                Promise.OWN,
                f"the Service of {key[1]} leads to {live.port} and is absent {live.count} times, "
                f"not to {it.port} and {it.count}",
            )
    remembered = {adapter: (it.port, it.count) for adapter, it in ran.verdict.declared.items()}
    if remembered != ran.after.memory:
        raise BrokenPromiseError(
            Promise.OWN, f"{remembered} should be remembered, and it is {ran.after.memory}"
        )


def _check_ports(ran: Ran) -> None:
    """Check the ports of the deployed server: a change of them restarts its Pod."""
    if ran.must_stop:
        return
    declared = {it.type: known.port for it, known in ran.verdict.declared.items() if it.server == DEPLOYED}
    wanted = declared if DEPLOYED in ran.verdict.asked else None
    if ran.report.ok and ran.after.ports != wanted:
        raise BrokenPromiseError(
            Promise.OWN, f"{DEPLOYED} should have the ports {wanted}, not {ran.after.ports}"
        )
    # A run that fails on the way may have changed them, and removes none that it should not.
    forgotten = (ran.before.ports or {}).keys() & declared.keys() - (ran.after.ports or {}).keys()
    if forgotten:
        raise BrokenPromiseError(Promise.OWN, f"{DEPLOYED} loses the ports of {sorted(forgotten)}")


def _check_stopped(ran: Ran) -> None:
    damaged = bool(ran.edited) or ran.failing in ran.verdict.declared
    if not ran.must_stop and not damaged and not ran.disturbed:
        said = "; ".join(ran.report.lines("error"))
        raise BrokenPromiseError(Promise.OWN, f"the whole run stops: {said}")
    if ran.must_stop and ran.report.ok and not ran.idle:
        raise BrokenPromiseError(Promise.IDENTITY, "a run that would lose Services is not stopped")
    if not ran.idle and (ran.must_stop or not damaged):
        changed = _changes(ran.before, ran.after)
        raise BrokenPromiseError(Promise.SHOWN, f"a run that stops has changed {changed}")


def _operations(report: RunReport) -> dict[AdapterName, set[str]]:
    found: dict[AdapterName, set[str]] = {}
    for step in report.steps:
        if step.type == "kubernetes:core/v1:Service" and "/" in step.name:
            found.setdefault(AdapterName(*step.name.split("/", 1)), set()).add(step.operation)
    return found


def _changes(before: Snapshot, after: Snapshot) -> str:
    services = {
        str(key[1])
        for key in before.services.keys() | after.services.keys()
        if before.services.get(key) != after.services.get(key)
    }
    memory = {
        str(adapter)
        for adapter in before.memory.keys() | after.memory.keys()
        if before.memory.get(adapter) != after.memory.get(adapter)
    }
    ports = f", ports {before.ports} to {after.ports}" * (before.ports != after.ports)
    return f"Services {sorted(services)}, memory {sorted(memory)}{ports}"
