"""Living through a history of our own side, with every promise checked after each command."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.program.plan import Plan
from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.events import Delete, Disable, Place, Serve, Stop
from tests.chaos.histories.oracle import Answer
from tests.chaos.histories.ours.apis import Apis
from tests.chaos.histories.ours.cluster import Cluster
from tests.chaos.histories.ours.commands import Commands, Spectator
from tests.chaos.histories.ours.configuration import Configuration
from tests.chaos.histories.ours.events import (
    FOUND,
    NEWCOMER,
    Actor,
    Add,
    Approval,
    Approve,
    Drop,
    Edit,
    Event,
    File,
    Hand,
    History,
    Lose,
    Meanwhile,
    Move,
    Rename,
    Touch,
    Trouble,
    Unlist,
)
from tests.chaos.histories.ours.promises import BrokenPromiseError, Moment, Promise, Ran, check, check_idle
from tests.chaos.histories.ours.rules import Known, Memory, Verdict, judge
from tests.chaos.histories.ours.state import remembered
from tests.engine.world import STACK

Failing = Callable[[frozenset[tuple[str, str]]], None]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a command decides on."""

    configuration: Configuration
    memory: Memory
    verdict: Verdict
    answers: Mapping[str, Answer]
    gone: frozenset[Place]
    """Adapters whose Service somebody has deleted."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A plan that waits to be applied."""

    plan: Plan
    shown: RunReport
    foreseen: Foreseen
    runs: int
    """How many runs had changed the stack when it was made."""


@dataclass
class Life:
    """One stack with its servers and namespaces, and the oracle's own memory of it."""

    root: Path
    commands: Commands
    apis: Apis
    cluster: Cluster
    kubernetes: Mapping[str, object]
    """What the `kubernetes:` namespace of the configuration says."""
    encrypted: Mapping[str, str]
    """A secret as it stands in a stack's file."""
    fail: Failing
    """Tells the provider which operations fail from now on."""
    secrets: tuple[str, ...] = field(repr=False)
    """What no run tells, and no state holds, in the clear."""
    configuration: Configuration = field(default_factory=Configuration)
    memory: Memory = field(default_factory=Memory)
    listed: bool = True
    soft: set[Place] = field(default_factory=set)
    """Adapters whose Service others have touched."""
    saved: Saved | None = None
    runs: int = 0
    """Runs that may have changed the stack."""
    lived: list[str] = field(default_factory=list)
    """What has happened so far, a line for each move."""

    def live(self, history: History) -> None:
        """Every move of a history."""
        self.cluster.list_found(listed=True)
        for move in history.moves:
            self.lived.append(str(move))
            self._move(move)

    def _move(self, move: Move) -> None:
        self._happen(move.events)
        self._trouble(move.trouble)
        self._write()
        self.apis.asked()
        if move.refresh:
            self._refresh()
        failing = Place(*move.failing.split("/")) if move.failing else None
        match move.actor:
            case Actor.WATCH:
                self._watch(failing)
            case Actor.CI | Actor.PERSON | Actor.ALL:
                self._up(failing, move.meanwhile, move.actor)
            case Actor.SAVE:
                self._save()
            case Actor.APPLY:
                self._apply()
        self.apis.trouble({})

    def _happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            match event:
                case Serve() | Stop() | Disable() | Delete():
                    self.apis.happen(event)
                case Add() | Drop() | Rename() | Edit() | Lose():
                    self.configuration = self.configuration.after(event)
                case Unlist(listed):
                    if listed is not self.listed:
                        self.cluster.list_found(listed=listed)
                        self.listed = listed
                case Touch(place, hand, manager):
                    self._touch(place, hand, manager)
                case Approve(what):
                    self._approve(what)

    def _touch(self, place: Place, hand: Hand, manager: str) -> None:
        known = self.memory.adapters.get(place)
        if known is not None and self.cluster.touch(known.namespace, place, hand, manager):
            self.soft.add(place)

    def _approve(self, what: Approval) -> None:
        removed = () if what is Approval.NONE else tuple(sorted(map(str, self._foresee().verdict.removed)))
        more = ("media/nobody",) if what is Approval.MORE else ()
        self.configuration = replace(self.configuration, approved=(*removed, *more))

    def _trouble(self, trouble: Mapping[str, Trouble]) -> None:
        # A server that is just being deployed says nothing sensible until somebody waits for it.
        new = NEWCOMER in self.configuration.named and not self.memory.of(NEWCOMER)
        self.apis.trouble({**trouble, NEWCOMER: Trouble.HTML} if new else trouble)

    def _write(self) -> None:
        """The stack's file, as the configuration is now."""
        project = self._project
        if self.configuration.file is File.RENAMED_PROJECT:
            project = project.replace("name: dittoinfra", "name: elsewhere")
        (self.root / "Pulumi.yaml").write_text(project)
        file = self._file
        whole = yaml.safe_load((self.root / "encryption.yaml").read_text()) or {}
        if self.configuration.file is File.MISSING:
            file.unlink(missing_ok=True)
        elif self.configuration.file is File.EMPTY:
            file.write_text("")
        else:
            document = self._document()
            file.write_text(yaml.safe_dump(whole | ({"config": document} if document else {})))

    def _document(self) -> dict[str, Any] | None:
        return self.configuration.document(
            self.cluster.namespaces, self.apis.urls, self.kubernetes, self.encrypted
        )

    def _refresh(self) -> None:
        before = self._look().services
        report = self.commands.refresh()
        assert report.ok or self.soft, report.lines("error")
        after = self._look().services
        check_idle(Moment(before, {}), Moment(after, {}), "a refresh")
        self.runs += 1
        there = {place for _, place in after}
        kept = {p: replace(it, standing=p in there) for p, it in self.memory.adapters.items()}
        self.memory = replace(self.memory, adapters=kept)

    def _watch(self, failing: Place | None = None) -> None:
        foreseen, before = self._foresee(), self._look()
        with self._failing(failing):
            report = self.commands.watch()
        self._judge(foreseen, before, report, asked=self._asked(foreseen), failing=failing)

    def _up(self, failing: Place | None, meanwhile: Meanwhile | None, actor: Actor) -> None:
        foreseen, before = self._foresee(), self._look()
        asked: list[Mapping[str, int]] = []
        moved = ""

        def pause() -> None:
            nonlocal before, moved
            check_idle(before, self._look(), "a preview")
            asked.append(self._asked(foreseen))
            if meanwhile is None:
                return
            written, noted = (self.configuration.file, self._document()), self.memory.noted
            self._happen(meanwhile.events)
            self._trouble(meanwhile.trouble)
            self._write()
            if meanwhile.run:
                self.apis.asked()
                self._watch()
                self.apis.asked()
            before = self._look()
            changed = (
                ["the configuration has changed"]
                if (self.configuration.file, self._document()) != written
                else []
            )
            changed += ["another run has changed the stack"] if self.memory.noted != noted else []
            moved = " and ".join(changed)

        spectator = Spectator(on_wait=lambda: self.apis.trouble({}), on_foreseen=pause)
        with self._failing(failing):
            if actor is Actor.ALL:
                report = self.commands.up_all(spectator)
            else:
                report = self.commands.up(spectator, asks=actor is Actor.PERSON)
        joined = self._joined(foreseen)
        if report.ok and not moved and not foreseen.verdict.refused:
            foreseen.verdict.declared.update(joined)
        self._judge(
            foreseen,
            before,
            report,
            shown=spectator.shown,
            asked=_sum(*asked, self._asked(foreseen)),
            failing=failing,
            moved=moved,
            joined=frozenset(joined),
        )

    def _joined(self, foreseen: Foreseen) -> dict[Place, Known]:
        """Adapters of the server that this command has deployed, once it was waited for."""
        lost = foreseen.configuration.lost or NEWCOMER not in foreseen.configuration.named
        if lost or foreseen.answers[NEWCOMER] is not None or foreseen.memory.of(NEWCOMER):
            return {}
        where = foreseen.configuration.namespace_of(NEWCOMER)
        return {
            Place(NEWCOMER, kind): Known(told.port_of(kind), 0, where)
            for kind, told in (self.apis.answer(NEWCOMER) or {}).items()
            if told.serving
        }

    def _save(self) -> None:
        foreseen, before = self._foresee(), self._look()
        spectator = Spectator()
        report, plan = self.commands.save(spectator, self.root / "saved.plan")
        check_idle(before, self._look(), "a preview")
        if self.configuration.file is File.RENAMED_PROJECT:
            # Another project's stack, of which nothing here is a part.
            self.saved = None
            return
        if report.ok is foreseen.verdict.refused and not self.soft:
            said = "; ".join(report.lines("error")) or "a preview that would lose Services is not stopped"
            raise BrokenPromiseError(Promise.IDENTITY if report.ok else Promise.OWN, said)
        self.saved = Saved(plan, report, foreseen, self.runs) if plan else None

    def _apply(self) -> None:
        saved, self.saved = self.saved, None
        if saved is None:
            return
        before, now = self._look(), self._foresee()
        report = self.commands.up(Spectator(), asks=False, plan=saved.plan)
        moved = [
            *(
                ["the configuration has changed"]
                if self.configuration != saved.foreseen.configuration
                else []
            ),
            *(["the stack has changed"] if self.memory.noted != saved.foreseen.memory.noted else []),
            *self._contradictions(saved, now),
        ]
        exact = not moved and self.runs == saved.runs and now.answers == saved.foreseen.answers
        if not report.ok and not moved and not exact:
            moved = ["a saved plan is refused"]
        self._judge(
            saved.foreseen,
            before,
            report,
            shown=saved.shown,
            asked=_sum(self._asked(now), dict.fromkeys(now.verdict.asked, 1)),
            moved=" and ".join(moved),
        )

    def _contradictions(self, saved: Saved, now: Foreseen) -> Iterator[str]:
        """Removals of a plan that their server no longer says."""
        for place in saved.foreseen.verdict.removed:
            if place.server in now.answers:
                answer = now.answers[place.server]
                told = answer.get(place.type) if answer is not None else None
                if answer is None or (told is not None and told.enabled):
                    yield f"{place} is served, or its server is silent"

    def _judge(
        self,
        foreseen: Foreseen,
        before: Moment,
        report: RunReport,
        *,
        asked: Mapping[str, int],
        shown: RunReport | None = None,
        failing: Place | None = None,
        moved: str = "",
        joined: frozenset[Place] = frozenset(),
    ) -> None:
        told = f"{report}{self._state.read_text() if self._state.exists() else ''}"
        assert not [secret for secret in self.secrets if secret in told], "a secret is told in the clear"
        after = self._look()
        ran = Ran(
            verdict=foreseen.verdict,
            before=before,
            after=after,
            report=report,
            shown=shown,
            asked=asked,
            absence_polls=foreseen.configuration.absence_polls,
            moved=moved,
            soft=frozenset(self.soft),
            failing=failing,
            gone=foreseen.gone,
            joined=joined,
        )
        check(ran)
        # What was made anew, others have not touched.
        self.soft -= {place for _, place in after.services.keys() - before.services.keys()}
        self.runs += 1
        if report.ok and not ran.must_stop:
            self.memory = foreseen.verdict.memory
        elif not ran.must_stop and not ran.idle:
            self.memory = self._partly(foreseen, after, failing)

    def _partly(self, foreseen: Foreseen, after: Moment, failing: Place | None) -> Memory:
        """What is remembered of a run that did not come to its end: for each adapter the old or the new."""
        old, new = self.memory.adapters, foreseen.verdict.declared
        kept: dict[Place, Known] = {}
        for place in old.keys() | new.keys():
            it = after.memory.get(place)
            for known in (new.get(place), old.get(place)):
                if known is not None and (place == failing or it == (known.port, known.count)):
                    kept[place] = replace(known, standing=place != failing and known.standing)
                    break
            else:
                assert it is None or place in self.soft, f"{place} is remembered as nobody said: {it}"
        return replace(foreseen.verdict.memory, adapters=kept)

    def _foresee(self) -> Foreseen:
        answers: dict[str, Answer] = {name: self._answer(name) for name in (*self.configuration.named, FOUND)}
        denied = frozenset(name for name in answers if self.apis.denies(self._api(name)))
        verdict = judge(
            self.configuration, self.memory, lambda name: answers[name], listed=self.listed, denied=denied
        )
        there = {place for _, place in self.cluster.services()}
        gone = frozenset(self.memory.adapters.keys() - there)
        return Foreseen(self.configuration, self.memory, verdict, answers, gone)

    def _answer(self, name: str) -> Answer:
        return self.apis.answer(self._api(name))

    def _api(self, name: str) -> str:
        block = self.configuration.named.get(name)
        return block.api if block else name

    def _asked(self, foreseen: Foreseen) -> Mapping[str, int]:
        """Answers since this was last asked, by the names that servers have in the configuration."""
        counts = self.apis.asked()
        asked = {name: counts[block.api] for name, block in foreseen.configuration.named.items()}
        listed = FOUND in foreseen.verdict.asked
        return asked if FOUND in asked else {**asked, FOUND: counts[FOUND] if listed else 1}

    def _look(self) -> Moment:
        return Moment(self.cluster.services(), remembered(self._state))

    @contextmanager
    def _failing(self, place: Place | None) -> Iterator[None]:
        self.fail(frozenset({("create", str(place))} if place else ()))
        try:
            yield
        finally:
            self.fail(frozenset())

    @cached_property
    def _project(self) -> str:
        return (self.root / "Pulumi.yaml").read_text()

    @property
    def _file(self) -> Path:
        return self.root / "stacks" / f"Pulumi.{STACK}.yaml"

    @property
    def _state(self) -> Path:
        return self.root / ".pulumi" / "stacks" / "dittoinfra" / f"{STACK}.json"


def _sum(*counts: Mapping[str, int]) -> Mapping[str, int]:
    return {name: sum(count.get(name, 0) for count in counts) for name in {n for c in counts for n in c}}
