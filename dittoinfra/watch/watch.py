"""The whole watch, from the first run to a clean stop."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from dittoinfra.automation import Project
from dittoinfra.watch.configuration import Configuration
from dittoinfra.watch.events import Happening, WatchEvent
from dittoinfra.watch.following import Means
from dittoinfra.watch.health import Health
from dittoinfra.watch.listen import Address, Listener
from dittoinfra.watch.metrics import Metrics
from dittoinfra.watch.pace import Pace
from dittoinfra.watch.runner import Runner
from dittoinfra.watch.stack import StackWatch
from dittoinfra.watch.voice import Tell, Voices

POLLS_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class Options:
    """How to watch."""

    pace: Pace
    at_once: int = 4
    """Stacks that are run at the same time."""
    initial: bool = True
    """Begin with an update of every stack."""
    listen: Address | None = None
    """Where `/healthz` and `/metrics` are served."""


async def watch(project: Project, stacks: Sequence[str], options: Options, tell: Tell) -> None:
    """Watch stacks until SIGTERM or SIGINT, then finish what is under way."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    metrics, health = Metrics(), Health()
    means = Means(options.pace, asyncio.Semaphore(POLLS_AT_ONCE))
    with ExitStack() as life:
        where = ""
        if options.listen is not None:
            listener = life.enter_context(Listener(options.listen, health, metrics))
            where = f", with /healthz and /metrics on port {listener.port}"
        runner = Runner(project, options.at_once)
        watched = [
            StackWatch(
                runner=runner,
                means=means,
                health=health,
                configuration=Configuration.of(project.root, stack),
                voices=Voices(stack, options.pace, tell, metrics.of(stack)),
                initial=options.initial,
            )
            for stack in stacks
        ]
        tell(WatchEvent(event=Happening.STARTED, text=f"watching {', '.join(stacks)}{where}"))
        tasks = [asyncio.create_task(health.beat()), *(asyncio.create_task(_kept(w, tell)) for w in watched)]
        await stop.wait()
        tell(WatchEvent(event=Happening.STOPPING, text="stopping: what is under way is finished first"))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        stopped = await runner.stop()
        for stack in stopped.interrupted:
            text = "was interrupted in the middle of a run; the next one finishes it"
            tell(WatchEvent(event=Happening.STOPPING, stack=stack, text=text))
        for stack in stopped.killed:
            text = f"did not stop in time and was killed; release its lock: `pulumi cancel --stack {stack}`"
            tell(WatchEvent(event=Happening.FAILED, stack=stack, text=text))
        tell(WatchEvent(event=Happening.STOPPED, text="stopped"))


async def _kept(watched: StackWatch, tell: Tell) -> None:
    """Watch a stack whatever happens: a bug of ours with one stack must not end the watch of the others."""
    while True:
        try:
            await watched.watch()
        except Exception as error:  # noqa: BLE001 - see above
            text = f"internal error: {type(error).__name__}; please report it; the stack is watched anew"
            tell(WatchEvent(event=Happening.FAILED, stack=watched.voices.stack, text=text))
            await asyncio.sleep(watched.means.pace.wait(1))
        else:
            return
