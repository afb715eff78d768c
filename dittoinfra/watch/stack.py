"""The watch of one stack: a run, then following its servers until something changed, then a run again."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from dittoinfra.automation import Changes
from dittoinfra.model import Answered, StackMemory
from dittoinfra.watch.configuration import Configuration
from dittoinfra.watch.events import ChangeCounts, Happening, WatchEvent
from dittoinfra.watch.following import Following, Means
from dittoinfra.watch.health import Health
from dittoinfra.watch.listening import Heard
from dittoinfra.watch.runner import Ran, Result
from dittoinfra.watch.voice import Voices


class Runs(Protocol):
    """Whoever runs stacks."""

    async def up(self, stack: str) -> Ran:
        """Update a stack."""

    async def preview(self, stack: str) -> Ran:
        """Learn whom a stack asks, and what it holds."""


@dataclass(slots=True)
class StackWatch:
    """One stack, watched for as long as its task lives."""

    runner: Runs
    means: Means
    health: Health
    configuration: Configuration
    voices: Voices
    initial: bool
    """Whether it begins with an update; without, with a preview that only learns what there is."""
    _failures: int = 0
    _said: str = ""
    """What was last said of a run that could not be done: the same is not said twice."""
    _warnings: frozenset[str] = frozenset()
    """What the last run warned of."""

    async def watch(self) -> None:
        """Never ends by itself, unless a run is interrupted."""
        preview = not self.initial
        while True:
            read = self.configuration.fingerprint()
            ran = await self._run(preview=preview)
            retry = self._note(ran, preview=preview)
            match ran.result:
                case Result.INTERRUPTED:
                    return
                case Result.LOCKED | Result.FAILED:
                    await self._hold_off(ran, retry, read)
                case Result.CHANGED | Result.UNCHANGED:
                    heard = ran.heard
                    assert heard is not None  # noqa: S101 - a run that came to its end has asked
                    await self._until_changed(
                        heard, heard.held_before() if preview else heard.held_after(), read
                    )
                    preview = False

    async def _run(self, *, preview: bool) -> Ran:
        with self.health.running(self.voices.stack):
            run = self.runner.preview if preview else self.runner.up
            return await run(self.voices.stack)

    def _note(self, ran: Ran, *, preview: bool) -> float:
        """Say what a run came to; the seconds to wait before the next attempt, 0 where none is needed."""
        retry = 0.0
        match ran.result:
            case Result.CHANGED | Result.UNCHANGED:
                self._failures, self._said = 0, ""
                self._warn(ran)
                self._done(ran.report.changes, preview=preview)
            case Result.LOCKED:
                retry = self.means.pace.wait()
                self._tell_once(Happening.WAITING, "is locked by another run: waiting for its end")
            case Result.FAILED:
                retry = self.means.pace.wait(self._failures)
                self._failures += 1
                self._tell_once(Happening.FAILED, "; ".join(_errors(ran)))
            case Result.INTERRUPTED:
                pass
        if not preview:
            self.voices.metrics.ran(str(ran.result), ran.report.changes, retry)
        return retry

    def _warn(self, ran: Ran) -> None:
        # Silence and absence have events of their own.
        decided = ran.report.decided.decision.notes if ran.report.decided else ()
        told = {f"{note.server}: {note.text}" for note in decided}
        lines = [line for line in ran.report.lines("warning") if line not in told]
        for line in lines:
            if line not in self._warnings:
                self._tell(Happening.WARNED, line)
        self._warnings = frozenset(lines)

    def _done(self, changes: Changes, *, preview: bool) -> None:
        counts = _counts(changes)
        listed = [f"{count} {what}" for what, count in counts.model_dump().items() if count]
        said = ", ".join(listed) or "nothing to change"
        if preview:
            self._tell(Happening.STARTED, f"followed from here on; an update would find: {said}")
        else:
            self._tell(Happening.UPDATED, f"up to date: {said}", changes=counts)

    async def _hold_off(self, ran: Ran, seconds: float, read: str) -> None:
        """Wait before the next attempt: by the clock, or for a server whose silence stops every attempt."""
        if ran.heard is not None and _stopped_by_silence(ran.heard):
            following = Following(self.means, ran.heard, ran.heard.held_before(), self.voices)
            # A server that there is no way to ask is not heard of again by waiting for it.
            if following.blocking:
                async with following:
                    while following.blocking and self.configuration.fingerprint() == read:
                        await following.news(self.means.pace.interval)
                return
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(left, self.means.pace.interval))
            if self.configuration.fingerprint() != read:
                return

    async def _until_changed(self, heard: Heard, held: StackMemory, read: str) -> None:
        self.voices.keep({server.name for server in heard.servers})
        async with Following(self.means, heard, held, self.voices) as following:
            while True:
                await following.news(self.means.pace.wait())
                if self.configuration.fingerprint() != read:
                    self._tell(Happening.CHANGED, "its configuration changed")
                    return
                changed = following.changes
                if not changed:
                    continue
                if waiting_for := following.blocking:
                    names = ", ".join(waiting_for)
                    self._tell_once(
                        Happening.WAITING,
                        f"changed, but {names} does not answer (onUnreachable: fail): waiting for it",
                    )
                    continue
                for server, changes in changed.items():
                    for change in changes:
                        self._tell(Happening.CHANGED, change.text, server)
                return

    def _tell_once(self, event: Happening, text: str) -> None:
        if text != self._said:
            self._said = text
            self._tell(event, text)

    def _tell(
        self, event: Happening, text: str, server: str | None = None, changes: ChangeCounts | None = None
    ) -> None:
        self.voices.tell(
            WatchEvent(event=event, stack=self.voices.stack, server=server, text=text, changes=changes)
        )


def _stopped_by_silence(heard: Heard) -> bool:
    return any(
        server.on_unreachable == "fail" and not isinstance(polls[-1], Answered)
        for server in heard.servers
        if (polls := heard.polls.get(server.name))
    )


def _errors(ran: Ran) -> list[str]:
    return ran.report.lines("error") or [f"the run ended with exit code {ran.report.exit_code}"]


def _counts(changes: Changes) -> ChangeCounts:
    return ChangeCounts(
        created=changes.creates,
        updated=changes.updates,
        deleted=changes.deletes,
        replaced=changes.replaces,
    )
