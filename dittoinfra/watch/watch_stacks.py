"""The whole watch, from the first run to a clean stop."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from dittoinfra.stacks.project import Project
from dittoinfra.visible import internal_error
from dittoinfra.watch.config_files import ConfigFiles
from dittoinfra.watch.http_endpoints import Address, Health, serve
from dittoinfra.watch.metrics import Metrics, StackMetrics
from dittoinfra.watch.operator_runs import OperatorRuns, StackObjects
from dittoinfra.watch.poll_slots import PollSlots, most_connections
from dittoinfra.watch.poll_timing import Timing
from dittoinfra.watch.server_health import WatchedServers
from dittoinfra.watch.stack_runner import StackRunner
from dittoinfra.watch.stack_watch import StackWatch
from dittoinfra.watch.watch_events import EventKind, EventSink, WatchEvent

POLLS_AT_ONCE: Final = 64
READ_AHEAD: Final = 8
"""Stacks up to which each is read again after its run, to be ready for the next: a state takes megabytes."""
WAITING_AT_ONCE: Final = 32
"""Stacks that the operator is asked to run at the same time."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How to watch."""

    timing: Timing
    at_once: int = 4
    """Stacks that are run at the same time."""
    initial: bool = True
    """Begin with an update of every stack."""
    listen: Address | None = None
    """Where `/healthz` and `/metrics` are served."""
    operator: StackObjects | None = None
    """The operator's objects, where the operator runs the stacks; None where the watch does."""


async def watch(project: Project, stacks: Sequence[str], options: WatchOptions, sink: EventSink) -> None:
    """Watch stacks until SIGTERM or SIGINT, then finish what is under way."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    metrics, health = Metrics(), Health()
    metrics.interval.set_function(lambda: options.timing.interval)
    poll_slots = PollSlots(POLLS_AT_ONCE, most_connections())
    with ExitStack() as resources:
        where = ""
        if options.listen is not None:
            port = resources.enter_context(serve(options.listen, health, metrics))
            where = f", with /healthz and /metrics on port {port}"
        operator = OperatorRuns(options.operator) if options.operator is not None else None
        reads_ahead = operator is None and len(stacks) <= READ_AHEAD
        runner = StackRunner(project, options.at_once, operator, reads_ahead=reads_ahead)
        watches = [
            StackWatch(
                run=runner.run,
                health=health,
                configuration=ConfigFiles.of(project.root, stack),
                servers=WatchedServers(stack, options.timing, sink, StackMetrics(metrics, stack), poll_slots),
                always_counts=operator is not None,
                operator=operator,
                initial=options.initial,
            )
            for stack in stacks
        ]
        sink(WatchEvent(event=EventKind.STARTED, text=f"watching {', '.join(stacks)}{where}"))
        tasks = [asyncio.create_task(health.beat()), *(asyncio.create_task(_restarted(w)) for w in watches)]
        await stop.wait()
        sink(WatchEvent(event=EventKind.STOPPING, text="stopping: what is under way is finished first"))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        stopped = await runner.stop()
        for stack in stopped.interrupted:
            text = (
                "was interrupted in the middle of a run; the next one finishes it"
                if operator is None
                else "is being run by the operator, which goes on with it"
            )
            sink(WatchEvent(event=EventKind.STOPPING, stack=stack, text=text))
        for stack in stopped.killed:
            text = f"did not stop in time and was killed; release its lock: `pulumi cancel --stack {stack}`"
            sink(WatchEvent(event=EventKind.FAILED, stack=stack, text=text))
        sink(WatchEvent(event=EventKind.STOPPED, text="stopped"))


async def _restarted(stack: StackWatch) -> None:
    """Watch a stack whatever happens: an internal error with one must not end the watch of the others."""
    while True:
        try:
            await stack.watch()
        except Exception as error:  # noqa: BLE001 - see above
            stack.servers.emit(EventKind.FAILED, f"{internal_error(error)}; the stack is watched anew")
            await asyncio.sleep(stack.servers.timing.wait(1))
        else:
            return
