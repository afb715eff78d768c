"""Runs of the engine beside the watch's own loop: bounded, one at a time per server, and stoppable."""

import asyncio
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dittoinfra.automation import (
    Changes,
    Diagnostic,
    InterruptibleCommand,
    Processes,
    Project,
    ProjectStack,
    RunReport,
)
from dittoinfra.exitcodes import ExitCode
from dittoinfra.loading import load_ahead
from dittoinfra.program import LiveInquiry
from dittoinfra.settings import ServerSettings
from dittoinfra.watch.listening import Heard, ListeningInquiry
from dittoinfra.watch.turns import Turns

STOP_SECONDS: Final = 120.0
"""How long an interrupted update may take to finish what it has begun: a cloud's slowest answer, and some."""

_LOCKED: Final = ("the stack is locked", "[409] Conflict")
"""How a file backend and Pulumi's service say that somebody else is running the stack."""


class Result(StrEnum):
    """How a run ended."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    LOCKED = "locked"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run, and what the watch learned from it."""

    result: Result
    report: RunReport
    heard: Heard | None
    """None where the run did not come so far as to ask."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Stacks that were in the middle of a run when the watch was told to stop."""

    interrupted: tuple[str, ...]
    killed: tuple[str, ...]
    """Those that did not stop in time."""


class Runner:
    """Runs stacks of one project."""

    def __init__(self, project: Project, at_once: int) -> None:
        load_ahead()
        self._processes = Processes()
        command = InterruptibleCommand(project.command, self._processes)
        self._project = Project(project.root, command, project.environment)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="watch-run")
        self._turns = Turns()
        self._asking: set[ListeningInquiry] = set()
        self._under_way: dict[Future[Ran], str] = {}
        self._stopping = False

    async def up(self, stack: str) -> Ran:
        """Update a stack. The run asks the servers itself: an answer may be outdated when its turn comes."""
        return await self._run(stack, preview=False)

    async def preview(self, stack: str) -> Ran:
        """Learn whom a stack asks, and what it holds, without changing anything."""
        return await self._run(stack, preview=True)

    async def stop(self) -> Stopped:
        """Interrupt what is under way and wait for its end, but not forever."""
        self._stopping = True
        self._turns.close()
        for inquiry in tuple(self._asking):
            inquiry.hang_up()
        under_way = {asyncio.wrap_future(future): stack for future, stack in self._under_way.copy().items()}
        self._processes.interrupt()
        late = await _unfinished(under_way)
        if late:
            self._processes.kill()
            await _unfinished(late)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return Stopped(
            interrupted=tuple(sorted(stack for end, stack in under_way.items() if end not in late)),
            killed=tuple(sorted(under_way[end] for end in late)),
        )

    async def _run(self, stack: str, *, preview: bool) -> Ran:
        future = self._threads.submit(self._operate, stack, preview=preview)
        self._under_way[future] = stack
        future.add_done_callback(lambda done: self._under_way.pop(done, None))
        # Whoever waits may be cancelled; the run is not: it is interrupted, and waited for, by `stop`.
        return await asyncio.shield(asyncio.wrap_future(future))

    def _operate(self, name: str, *, preview: bool) -> Ran:
        taken: set[str] = set()

        def take_turn(servers: Sequence[ServerSettings]) -> None:
            these = {server.api.url or f"{server.namespace}/{server.name}" for server in servers}
            self._turns.take(these)
            taken.update(these)

        stack = self._project.stack(name)
        inquiry = ListeningInquiry(LiveInquiry(stack.root, stack.environment), take_turn)
        stack.inquiry = inquiry
        self._asking.add(inquiry)
        try:
            report = stack.preview() if preview else _update(stack)
        except Exception as error:  # noqa: BLE001 - no bug of ours may end the watch of the other stacks
            # Only its type: the text of an unforeseen error may hold anything, even a password.
            report = _broken(f"internal error: {type(error).__name__}; please report it")
        finally:
            self._asking.discard(inquiry)
            self._turns.give_back(taken)
        return Ran(self._result(report), report, inquiry.heard)

    def _result(self, report: RunReport) -> Result:
        if report.ok:
            return Result.CHANGED if report.changes.any else Result.UNCHANGED
        if self._stopping:
            return Result.INTERRUPTED
        locked = any(words in line for line in report.lines("error") for words in _LOCKED)
        return Result.LOCKED if locked else Result.FAILED


async def _unfinished(ends: Collection["asyncio.Future[Ran]"]) -> "set[asyncio.Future[Ran]]":
    if not ends:
        return set()
    _, late = await asyncio.wait(ends, timeout=STOP_SECONDS)
    return late


def _update(stack: ProjectStack) -> RunReport:
    # What an earlier run was interrupted at is made sure of first; its marks would be told of forever.
    ready = stack.recover()
    return stack.settle(stack.up()) if ready.ok else ready


def _broken(why: str) -> RunReport:
    return RunReport(Changes(), (), (Diagnostic("error", why),), ExitCode.GENERIC)
