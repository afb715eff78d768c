"""The watch of one stack: a run, then polling its servers until something changed, then a run again."""

import asyncio
import math
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dittoinfra.changes import in_words
from dittoinfra.decide.adapter_texts import removed_text
from dittoinfra.model import Answered, Reason, Removal, StackMemory, last_outcome
from dittoinfra.naming import adapter_resource
from dittoinfra.program.survey import RunRecord
from dittoinfra.stacks.result import RunReport
from dittoinfra.urns import SERVICE
from dittoinfra.watch.adapter_changes import AdapterChange
from dittoinfra.watch.cluster_follower import ClusterFollower
from dittoinfra.watch.config_files import ConfigFiles
from dittoinfra.watch.http_endpoints import Health
from dittoinfra.watch.operator_runs import OperatorRuns
from dittoinfra.watch.ready_pods import ReadyPods
from dittoinfra.watch.server_health import WatchedServers
from dittoinfra.watch.server_poller import PollTargets, ServerPoller, polling
from dittoinfra.watch.stack_runner import FinishedRun, OnDecided, RunResult
from dittoinfra.watch.watch_events import EventKind

ListedChanges = Mapping[str, tuple[AdapterChange, ...]]
"""What a run would be told by the cluster, by server."""

_REMOVING = frozenset({"delete", "delete-replaced", "replace"})


class Run(Protocol):
    """Updates a stack; without anything to call with the decision, it only previews it."""

    def __call__(
        self, stack: str, on_decided: OnDecided | None, *, counts_absences: bool, silent: frozenset[str]
    ) -> Awaitable[FinishedRun]: ...


@dataclass(slots=True)
class StackWatch:
    """One stack, watched for as long as its task lives."""

    run: Run
    health: Health
    configuration: ConfigFiles
    servers: WatchedServers
    always_counts: bool = False
    """Whether every run counts, because another engine does it: then runs wait for absences."""
    operator: OperatorRuns | None = None
    """That other engine: a stack that it has given up on is asked for again."""
    initial: bool = True
    """Whether it begins with an update; without, with a preview that only learns what there is."""
    _follower: ClusterFollower = field(init=False, repr=False)
    _failures: int = 0
    _woken_until: float = 0.0
    """When the last wait that a change has shortened would have ended: until then no other is shortened."""
    _incomplete: int = 0
    """Runs in a row that have left something out because of objects that are not the stack's."""
    _reported: str = ""
    """What was last reported of a run that could not be done, in order not to repeat it."""
    _warnings: frozenset[str] = frozenset()
    """The warnings of the last run."""

    def __post_init__(self) -> None:
        self._follower = ClusterFollower(
            lambda text: self.servers.emit(EventKind.WARNED, text),
            ReadyPods(self.servers.emit, self.servers.metrics),
        )

    async def watch(self) -> None:
        """Never ends by itself, unless a run is interrupted."""
        try:
            await self._watch()
        finally:
            await self._follower.close()
            await self.servers.close()

    async def _watch(self) -> None:
        preview = not self.initial
        while True:
            config = await self._readable_config()
            counts = self.servers.counts
            with self.health.running(self.servers.stack):
                reporter = None if preview else self._removal_reporter()
                self._follower.begin_run()
                # A silent server that answers starts a run by itself: this one need not wait for it.
                silent = self.servers.silent
                run = await self.run(self.servers.stack, reporter, counts_absences=counts, silent=silent)
            if counts and run.began:
                # Whether it succeeded or not: an update that fails may have stored a count before. One that
                # was refused has not, so the next attempt counts too, and is refused for the same reason.
                self.servers.counted()
            retry = self._report(run, preview=preview)
            match run.result:
                case RunResult.INTERRUPTED:
                    return
                case RunResult.LOCKED | RunResult.FAILED:
                    await self._wait_for_retry(run, retry, config)
                case RunResult.CHANGED | RunResult.UNCHANGED:
                    assert run.targets is not None  # noqa: S101 - a run that succeeded has polled
                    memory = run.held
                    if memory is None:
                        memory = run.targets.memory if preview else run.targets.memory_after()
                    await self._wait_for_change(run.targets, memory, run.outputs, config)
                    preview = False

    def _removal_reporter(self) -> OnDecided:
        """Reports, while a run is under way, which adapters it is about to remove."""
        loop = asyncio.get_running_loop()
        reported: dict[str, str] = {}

        def report(record: RunRecord) -> None:
            # A run that finds the stack changed since it was read decides twice.
            planned = {removal.name: (removal.server, text) for removal, text in planned_removals(record)}
            for name, server in reported.items():
                if name not in planned:
                    kept = f"{name} is kept after all: the stack changed since it was read"
                    loop.call_soon_threadsafe(self.servers.emit, EventKind.WARNED, kept, server)
            for name, (server, text) in planned.items():
                if name not in reported:
                    loop.call_soon_threadsafe(self.servers.emit, EventKind.REMOVING, text, server)
            reported.clear()
            reported.update({name: server for name, (server, _) in planned.items()})

        return report

    def _read_config(self) -> str:
        """The configuration's fingerprint; that a file vanished, or is back, is reported once."""
        lost = self.configuration.problem
        config = self.configuration.fingerprint()
        problem = self.configuration.problem
        if problem and not lost:
            then = "the stack stays as it is, and is not run until the file is back"
            self.servers.emit(EventKind.WARNED, f"{problem}: {then}")
        elif lost and not problem:
            self.servers.emit(EventKind.RESTORED, "its configuration can be read again")
        return config

    async def _readable_config(self) -> str:
        """The configuration's fingerprint, once all of it can be read."""
        config = self._read_config()
        while self.configuration.problem:
            await asyncio.sleep(self.servers.timing.wait())
            config = self._read_config()
        return config

    async def _config_changed(self, config: str) -> bool:
        """Whether the configuration is another one, and has been for as long as a change must last."""
        now = self._read_config()
        while now != config and not self.configuration.problem:
            await asyncio.sleep(self.servers.timing.debounce)
            before, now = now, self._read_config()
            if now == before:
                return True
        return False

    def _report(self, run: FinishedRun, *, preview: bool) -> float:
        """Report how a run ended; the seconds to wait before the next attempt, 0 where none is needed."""
        retry = 0.0
        if not preview:
            for removal, text in done_removals(run.report):
                self.servers.emit(EventKind.REMOVED, text, removal.server)
            for server, text in operator_removals(run):
                self.servers.emit(EventKind.REMOVED, text, server)
        match run.result:
            case RunResult.CHANGED | RunResult.UNCHANGED:
                self._failures, self._woken_until, self._reported = 0, 0.0, ""
                self._report_success(run, preview=preview)
            case RunResult.LOCKED:
                retry = self.servers.timing.retry()
                self._emit_once(EventKind.WAITING, "is locked by another run: waiting for its end")
            case RunResult.FAILED:
                retry = self.servers.timing.retry(self._failures)
                self._failures += 1
                errors = run.report.lines("error")
                text = "; ".join(errors) or f"the run ended with exit code {run.report.exit_code}"
                self._emit_once(EventKind.FAILED, text)
            case RunResult.INTERRUPTED:
                pass
        if not preview:
            self.servers.metrics.ran(str(run.result), run.report.changes, retry)
        return retry

    def _report_success(self, run: FinishedRun, *, preview: bool) -> None:
        report = run.report
        known = _told_by_events(report)
        warnings = [line for line in report.lines("warning") if line not in known]
        for line in warnings:
            if line not in self._warnings:
                self.servers.emit(EventKind.WARNED, line)
        self._warnings = frozenset(warnings)
        if run.held is not None:
            text = "up to date: run by the operator"
            event = (EventKind.STARTED, "followed from here on") if preview else (EventKind.UPDATED, text)
            self.servers.emit(*event)
            return
        changes = report.object_changes(planned=preview)
        changed = in_words(changes, planned=preview)
        if preview:
            text = f"followed from here on; an update would find: {changed}"
            self.servers.emit(EventKind.STARTED, text)
        else:
            self.servers.emit(EventKind.UPDATED, f"up to date: {changed}", changes=changes)

    async def _wait_for_retry(self, run: FinishedRun, seconds: float, config: str) -> None:
        """Wait before the next attempt: until a timeout, or until something is not as it was told.

        A server whose silence stops every attempt is waited for, however long that takes. So is the end of
        another run: what the cluster says until then is that run's doing.

        What changes again and again, as a label that another controller rewrites, must not make runs back to
        back: before a shortened wait would have ended, no further one is shortened.
        """
        clock = asyncio.get_running_loop().time
        targets = run.targets
        memory = targets.memory if targets is not None else {}
        async with polling(targets, memory, self.servers) as poller:
            known = await self._follow_failed(run, poller)
            silenced = targets is not None and _stopped_by_silence(targets) and bool(poller.blocking)
            over = clock() + seconds
            end = math.inf if silenced else over
            while (left := end - clock()) > 0 and not await self._config_changed(config):
                listed = self._new_in_cluster(known) if run.result is RunResult.FAILED else frozenset()
                if silenced:
                    changed = not listed.isdisjoint(poller.blocking) or not poller.blocking
                else:
                    changed = poller.differs or bool(listed)
                if changed and clock() >= self._woken_until:
                    self._woken_until = over
                    return
                await poller.news(min(left, self.servers.timing.interval))

    async def _follow_failed(self, run: FinishedRun, poller: ServerPoller) -> ListedChanges:
        """Follow the cluster after a failed run; the changes that were there already, if any are known."""
        targets = run.targets
        if targets is None or run.result is RunResult.LOCKED:
            self._follower.end_run(poller.notify)
            return self._follower.changes()
        await self._follower.follow(
            targets.record, targets.memory, run.outputs, targets.environ, poller.notify, failed=True
        )
        return {}

    def _new_in_cluster(self, known: ListedChanges) -> frozenset[str]:
        """The servers of which the cluster lists something else by now; an empty name for no server.

        Absences are left out: a run that is tried again does not count them any sooner.
        """
        return frozenset(
            server
            for server, changes in self._follower.changes().items()
            if any(not change.kind.counts and change not in known.get(server, ()) for change in changes)
        )

    async def _wait_for_change(
        self, targets: PollTargets, memory: StackMemory, outputs: Mapping[str, Any], config: str
    ) -> None:
        await self.servers.keep({server.name for server in targets.servers})
        async with polling(targets, memory, self.servers) as poller:
            await self._follower.follow(targets.record, memory, outputs, targets.environ, poller.notify)
            clock = asyncio.get_running_loop().time
            look = clock() + self.servers.timing.retry()
            again = clock() + self._until_next_try(targets)
            while True:
                await poller.news(self.servers.timing.wait())
                if self.operator is not None and clock() > look:
                    look = clock() + self.servers.timing.retry()
                    if await asyncio.to_thread(self.operator.has_given_up, self.servers.stack):
                        place = self.operator.place(self.servers.stack)
                        text = f"{place} is Stalled after failed updates: asked for another run"
                        self.servers.emit(EventKind.WARNED, text)
                        return
                if await self._config_changed(config):
                    self.servers.emit(EventKind.CHANGED, "its configuration changed")
                    return
                found = self._changes(poller)
                if self.configuration.problem or not (found or clock() >= again):
                    continue
                if self.always_counts and not self.servers.counts and self._misses(poller):
                    continue
                # With other labels it may be another server that the run would ask.
                if poller.blocking and self._new_in_cluster({}).isdisjoint(poller.blocking):
                    names = ", ".join(poller.blocking)
                    text = f"changed, but {names} does not answer (onUnreachable: fail): waiting for it"
                    if found:
                        self._emit_once(EventKind.WAITING, text)
                    continue
                for server, change in found:
                    self.servers.emit(EventKind.CHANGED, change.text, server or None)
                return

    def _until_next_try(self, targets: PollTargets) -> float:
        """Seconds until what a run left out is tried again; endless where it left out nothing.

        The objects that were in its way are not followed: nothing tells that they are gone.
        """
        self._incomplete = self._incomplete + 1 if targets.record.decision.aside else 0
        return self.servers.timing.retry(self._incomplete - 1) if self._incomplete else math.inf

    def _changes(self, poller: ServerPoller) -> list[tuple[str, AdapterChange]]:
        """What a run would change now: what servers say, and what the cluster lists."""
        counts = self.servers.counts
        listed = self._follower.changes()
        return [
            (server, change)
            for found in (poller.changes, listed)
            for server, changes in found.items()
            for change in changes
            if counts or not change.kind.counts
        ]

    def _misses(self, poller: ServerPoller) -> bool:
        listed = self._follower.changes().values()
        return poller.misses or any(change.kind.counts for changes in listed for change in changes)

    def _emit_once(self, event: EventKind, text: str) -> None:
        if text != self._reported:
            self._reported = text
            self.servers.emit(event, text)


def _stopped_by_silence(targets: PollTargets) -> bool:
    heard = targets.polls
    return any(
        server.on_unreachable == "fail" and not isinstance(last_outcome(heard[server.name]), Answered)
        for server in targets.servers
    )


def _told_by_events(report: RunReport) -> frozenset[str]:
    """The notes on silence and absence, which have events of their own, but not those on held servers."""
    if report.decided is None:
        return frozenset()
    decision = report.decided.decision
    return frozenset(str(note) for note in decision.adapters.notes if note.server not in decision.aside.held)


def planned_removals(record: RunRecord) -> Iterator[tuple[Removal, str]]:
    """Every removal that a run is about to make, and a line about it; none where the run is refused."""
    if not record.decision.refusals:
        for removal in record.decision.adapters.removals:
            fate = "replaced" if removal.reason is Reason.MOVED else "removed"
            service = "UDP Service" if removal.reason is Reason.UNSPLIT else "Service"
            yield removal, f"{removal.name} is {_reason(record, removal)}: its {service} is {fate}"


def done_removals(report: RunReport) -> Iterator[tuple[Removal, str]]:
    """Every removal that a run has made, and a line about it, even where the run failed later."""
    if report.decided is None:
        return
    done = {s.name for s in report.steps if s.done and s.operation in _REMOVING and s.type == SERVICE}
    for removal in report.decided.decision.adapters.removals:
        if removal.service in done:
            yield removal, f"removed {removal.name} ({_reason(report.decided, removal)})"


def operator_removals(run: FinishedRun) -> Iterator[tuple[str, str]]:
    """Every adapter that the stack does not hold any more after a run of another engine, and a line about it.

    That run asks the servers itself, so it may have removed what this watch has not announced.
    """
    if run.held is None or run.targets is None:
        return
    record = run.targets.record
    announced = {removal.name: removal for removal in record.decision.adapters.removals}
    for server, adapters in run.targets.memory.items():
        for adapter_type in sorted(adapters.keys() - run.held.get(server, {}).keys()):
            name = adapter_resource(server, adapter_type)
            reason = (
                _reason(record, announced[name]) if name in announced else "as the operator's run decided"
            )
            yield server, f"removed {name} ({reason})"


def _reason(record: RunRecord, removal: Removal) -> str:
    absence_polls = {server.name: server.absence_polls for server in record.decision.known}
    return removed_text(removal.reason, absence_polls.get(removal.server, 0))
