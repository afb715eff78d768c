"""Runs of the engine in threads of their own: a bounded number, one per server at a time, and stoppable."""

import asyncio
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import FoundServer, StackMemory
from dittoinfra.program.cluster_tunnels import ClusterTunnels
from dittoinfra.program.observe import RunContext
from dittoinfra.program.prefetch import prefetch_program
from dittoinfra.program.run_errors import PlanOutdated, RunRefused, RunStopped
from dittoinfra.program.survey import RunRecord, read_settings, survey
from dittoinfra.request import RunOptions
from dittoinfra.settings import StackSettings, effective_servers
from dittoinfra.stacks.cli_process import CliFailedError, InterruptibleCommand, Processes, cli_failure
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.recovery import recover, settle
from dittoinfra.stacks.result import RunReport
from dittoinfra.stacks.stack_survey import StoredStack, read_stack
from dittoinfra.stacks.update_message import decided_changes, update_message
from dittoinfra.state import Memory, exported_resources
from dittoinfra.state.kubernetes_objects import outputs_by_name
from dittoinfra.urns import STACK_TYPE
from dittoinfra.visible import internal_error
from dittoinfra.watch.config_files import ConfigFiles
from dittoinfra.watch.operator_runs import OperatorRuns
from dittoinfra.watch.server_poller import PollTargets

STOP_SECONDS: Final = 120.0
"""How long an interrupted update may take to finish what it has begun; no cloud takes so long to answer."""

OnDecided = Callable[[RunRecord], None]
"""Called in the run's own thread with its decision, before anything is declared."""


class RunResult(StrEnum):
    """How a run ended."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    LOCKED = "locked"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One run, and what the watch learned from it."""

    result: RunResult
    report: RunReport
    targets: PollTargets | None
    """None where the run stopped before it polled."""
    held: StackMemory | None = None
    """What the stack holds since, where another engine has run it; None where this one has."""
    outputs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What the stack's state says since that it exports."""
    began: bool = True
    """Whether an update began. It may have stored counts of absences, even where it failed."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Stacks that were in the middle of a run when the watch was told to stop."""

    interrupted: tuple[str, ...]
    killed: tuple[str, ...]
    """Those that did not stop in time."""


class WatchStoppingError(Exception):
    """The watch ends: nothing more is begun."""


class ServerLocks:
    """One run at a time per server: two runs must not decide on the same server's answers in parallel.

    Servers are named by the URL of their API or by their place in the cluster.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._freed = threading.Condition()
        self._closed = False

    @contextmanager
    def held(self, servers: Collection[str]) -> Iterator[None]:
        """Wait until all of them are free, and take them together, so that no two runs can deadlock.

        `WatchStoppingError` where the watch ends meanwhile.
        """
        these = set(servers)
        with self._freed:
            self._freed.wait_for(lambda: self._closed or self._taken.isdisjoint(these))
            if self._closed:
                raise WatchStoppingError
            self._taken |= these
        try:
            yield
        finally:
            with self._freed:
                self._taken -= these
                self._freed.notify_all()

    def close(self) -> None:
        """End the waiting of every run."""
        with self._freed:
            self._closed = True
            self._freed.notify_all()


def servers_of(settings: StackSettings, memory: Memory) -> frozenset[str]:
    """The servers that a run will poll, as far as they are known before it lists any."""
    found = [
        FoundServer(name, server.namespace, server.found)
        for name, server in memory.servers.items()
        if server.found is not None and all(named.name != name for named in settings.servers)
    ]
    servers = effective_servers(settings, found if settings.servers_from else ())
    return frozenset(server.api.url or f"{server.namespace}/{server.name}" for server in servers)


def stored_outputs(stored: StoredStack) -> Mapping[str, Any]:
    """What a state says that its stack exports; nothing before the first run."""
    stacks = outputs_by_name(exported_resources(stored.deployment), STACK_TYPE)
    return next(iter(stacks.values()), {})


class StackRunner:
    """Runs stacks of one project."""

    def __init__(
        self,
        project: Project,
        at_once: int,
        operator: OperatorRuns | None = None,
        *,
        reads_ahead: bool = False,
    ) -> None:
        """`reads_ahead` has the configuration and the state of a stack ready for its next run."""
        prefetch_program()
        self._operator = operator
        self._read_ahead: dict[str, tuple[str, Future[StoredStack]]] | None = {} if reads_ahead else None
        """Each with the fingerprint of the files that its configuration was read from."""
        self._processes = Processes()
        command = InterruptibleCommand(project.command, self._processes)
        self._project = Project(project.root, command, project.environment)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="watch-run")
        self._locks = ServerLocks()
        self._under_way: dict[Future[FinishedRun], str] = {}
        self._stopping = threading.Event()

    async def run(
        self,
        stack: str,
        on_decided: OnDecided | None,
        *,
        counts_absences: bool = True,
        silent: frozenset[str] = frozenset(),
    ) -> FinishedRun:
        """Update a stack, or have the operator do it; without `on_decided`, only preview it.

        A run polls the servers itself, and does not wait long for those that are known to be `silent`.
        """
        context = RunContext(
            self._project.environment,
            self._processes.calling,
            counts_absences=counts_absences,
            silent=silent,
        )
        future = self._threads.submit(self._run, stack, on_decided, context)
        self._under_way[future] = stack
        future.add_done_callback(lambda done: self._under_way.pop(done, None))
        # The waiting task may be cancelled; the run is not: `stop` interrupts it and waits for it.
        return await asyncio.shield(asyncio.wrap_future(future))

    async def stop(self) -> Stopped:
        """Interrupt what is under way and wait for its end, but not forever."""
        self._stopping.set()
        self._locks.close()
        under_way = {asyncio.wrap_future(future): stack for future, stack in self._under_way.copy().items()}
        self._processes.interrupt()
        late: set[asyncio.Future[FinishedRun]] = set()
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=STOP_SECONDS)
        if late:
            self._processes.kill()
            await asyncio.wait(late, timeout=STOP_SECONDS)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return Stopped(
            interrupted=tuple(sorted(stack for run, stack in under_way.items() if run not in late)),
            killed=tuple(sorted(under_way[run] for run in late)),
        )

    def _run(self, name: str, on_decided: OnDecided | None, context: RunContext) -> FinishedRun:
        ahead = self._take_read_ahead(name)
        if ahead is not None:
            run = self._attempt(name, ahead, on_decided, context)
            # Another run, or a user, may have changed the stack since it was read: it is read again then.
            # An update that began and failed otherwise may have stored its counts, and is not repeated: an
            # absence counts once.
            if run.result is not RunResult.FAILED or (run.began and not run.report.outdated):
                return self._and_read_ahead(name, run)
        run = self._attempt(name, None, on_decided, context)
        if run.report.outdated and not run.began:
            # Its configuration was edited while its servers were asked.
            run = self._attempt(name, None, on_decided, context)
        return self._and_read_ahead(name, run)

    def _and_read_ahead(self, name: str, run: FinishedRun) -> FinishedRun:
        if self._read_ahead is not None and run.report.ok and not self._stopping.is_set():
            stack = self._project.stack(name)
            files = ConfigFiles.of(self._project.root, name).fingerprint()
            self._read_ahead[name] = files, self._threads.submit(lambda: read_stack(stack))
        return run

    def _take_read_ahead(self, name: str) -> "Future[StoredStack] | None":
        """The stack as it was read ahead; None where its configuration was edited since.

        A run would report removals by the former configuration, and then find that it is outdated.
        """
        if not self._read_ahead or name not in self._read_ahead:
            return None
        files, ahead = self._read_ahead.pop(name)
        return ahead if files == ConfigFiles.of(self._project.root, name).fingerprint() else None

    def _attempt(
        self,
        name: str,
        ahead: "Future[StoredStack] | None",
        on_decided: OnDecided | None,
        context: RunContext,
    ) -> FinishedRun:
        stack = ProjectStack.of(self._project.stack(name))
        targets: PollTargets | None = None
        outputs: Mapping[str, Any] = {}
        began = False
        files = ConfigFiles.of(self._project.root, name).fingerprint()
        try:
            if on_decided is not None and self._operator is None:
                # An interrupted run is recovered first: its pending operations would be reported forever.
                ready = recover(stack)
                if not ready.ok:
                    return FinishedRun(self._result(ready), ready, None, began=began)
            stored = ahead.result() if ahead is not None else read_stack(stack)
            outputs = stored_outputs(stored)
            settings, memory = read_settings(stored.configuration), stored.memory()
            with self._locks.held(servers_of(settings, memory)):
                record = survey(stored.configuration, settings, memory, context)
                tunnels = ClusterTunnels(record.cluster) if record.cluster else None
                targets = PollTargets(record, stack.environment, tunnels)
                if record.decision.refusals:
                    # With `onRefusal: hold` too: the watch follows on, and tries again by itself.
                    raise RunRefused(record.decision.refusals).of(record)  # noqa: TRY301
                # Nothing is announced, and nothing done, by a configuration that is not the file's.
                self._insist_unedited(name, files)
                began = on_decided is not None
                if self._operator is not None:
                    return self._run_by_operator(self._operator, stack, stored, targets, on_decided)
                if on_decided is None:
                    report = stack.preview(given=record.answers)
                else:
                    on_decided(record)
                    noted = update_message("dittoinfra watch", decided_changes(record))
                    # As `up` does: the engine fails to update an object that was deleted in the cluster. And
                    # outputs have the addresses of the state, which a refresh takes from the cluster.
                    guarded = record.decision.guarded
                    changed = guarded.gone or guarded.edited or guarded.readdressed
                    options = RunOptions(message=noted, refresh=bool(changed))
                    report = settle(stack, stack.up(options, record.answers), options)
                    # One that failed may not have come to its outputs.
                    outputs = report.outputs if report.ok else outputs
        except RunStopped as stopped:
            report = replace(RunReport.stopped(stopped), outdated=isinstance(stopped, PlanOutdated))
        except WatchStoppingError:
            report = RunReport.failed("the watch is stopping", ExitCode.GENERIC)
        except CliFailedError as error:
            failure = cli_failure(name, error)
            report = RunReport.failed(failure.line, failure.exit_code, failure.lock)
        except Exception as error:  # noqa: BLE001 - an internal error must not end the watch of the other stacks
            report = RunReport.failed(internal_error(error), ExitCode.GENERIC)
        return FinishedRun(self._result(report), report, targets, outputs=outputs, began=began)

    def _insist_unedited(self, name: str, files: str) -> None:
        if files != ConfigFiles.of(self._project.root, name).fingerprint():
            raise PlanOutdated([f"the configuration of {name} was edited meanwhile"], saved=False)

    def _run_by_operator(
        self,
        operator: OperatorRuns,
        stack: ProjectStack,
        stored: StoredStack,
        targets: PollTargets,
        on_decided: OnDecided | None,
    ) -> FinishedRun:
        """Ask for a run and wait for its end; without `on_decided` there is nothing to ask for."""
        outputs = stored_outputs(stored)
        if on_decided is None:
            completed, held = RunReport.completed(), targets.memory
            return FinishedRun(RunResult.UNCHANGED, completed, targets, held, outputs, began=False)
        on_decided(targets.record)
        report = operator.run(stack.name, self._stopping)
        if report is None:
            raise WatchStoppingError
        if not report.ok:
            return FinishedRun(self._result(report), report, targets, outputs=outputs)
        since = read_stack(stack)
        memory, outputs = since.memory(), stored_outputs(since)
        if undone := targets.undone(memory.adapters):
            missing = f"was run, and its state does not show that {'; '.join(undone)}"
            cause = "where the run was held (onRefusal: hold) or the server did not answer"
            why = f"{operator.place(stack.name)} {missing}: see the log of its workspace, {cause}"
            report = RunReport.failed(why, ExitCode.GENERIC)
            return FinishedRun(self._result(report), report, targets, outputs=outputs)
        changed = memory.fingerprints != targets.record.memory.fingerprints
        result = RunResult.CHANGED if changed else RunResult.UNCHANGED
        return FinishedRun(result, report, targets, memory.adapters, outputs)

    def _result(self, report: RunReport) -> RunResult:
        if report.ok:
            return RunResult.CHANGED if report.changes.any else RunResult.UNCHANGED
        if self._stopping.is_set():
            return RunResult.INTERRUPTED
        return RunResult.FAILED if report.lock is None else RunResult.LOCKED
