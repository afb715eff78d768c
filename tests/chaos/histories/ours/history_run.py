"""Runs a history step by step and checks every promise after each command."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import yaml

from dittoinfra.program.plan import Plan
from dittoinfra.stacks.result import RunReport
from dittoinfra.watch.config_files import ConfigFiles
from tests.chaos.histories.events import AdapterName, Approval, Configure, Delete, Disable, Serve, Stop
from tests.chaos.histories.oracle import Answer
from tests.chaos.histories.ours.apis import Apis
from tests.chaos.histories.ours.cluster import Cluster
from tests.chaos.histories.ours.commands import Commands, Observer
from tests.chaos.histories.ours.configuration import Configuration
from tests.chaos.histories.ours.events import (
    DEPLOYED,
    FOUND,
    Actor,
    Add,
    Approve,
    ChangeFile,
    Drop,
    EditService,
    Event,
    FileState,
    History,
    Meanwhile,
    Rename,
    ServiceEdit,
    Step,
    Trouble,
    Unlist,
)
from tests.chaos.histories.ours.promises import (
    BrokenPromiseError,
    Promise,
    Ran,
    Snapshot,
    Told,
    check,
    check_idle,
)
from tests.chaos.histories.ours.rules import Known, Memory, Verdict, held, judge
from tests.chaos.histories.ours.state import declared_resources, remembered
from tests.engine.world import STACK

Failing = Callable[[frozenset[tuple[str, str]]], None]
Written = tuple[FileState, dict[str, Any] | None]
"""What has become of the stack's file, and its `config` block."""

OUTDATED: Final = "the plan does not hold any more"
"""How a saved plan is refused."""
EXPOSED: Final = "has an encrypted value in it"
"""How an encrypted value is refused that cannot be kept secret; before a plan is looked at."""
UNREAD: Final = "is not read: settings have the namespace"
"""How a project with another name is refused; likewise."""
LOST: Final = (FileState.MISSING, FileState.EMPTY, FileState.SALT_ONLY)
"""Files that are no change to watch."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The inputs of a command's decision, and its expected result."""

    configuration: Configuration
    memory: Memory
    verdict: Verdict
    answers: Mapping[str, Answer]
    gone: frozenset[AdapterName]
    """Adapters whose Service was deleted by others."""


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A saved plan, not yet applied."""

    plan: Plan
    shown: RunReport
    expected: Expected
    written: Written
    runs: int
    """How many runs had changed the stack when it was made."""


@dataclass(slots=True)
class UnderWay:
    """A command that previews and updates, and what has happened beside it."""

    expected: Expected
    before: Snapshot
    asked: list[Mapping[str, int]] = field(default_factory=list)
    moved: str = ""
    """What has changed since its answers were given, if anything that matters."""
    disturbed: bool = False
    """Whether another run has changed resources since then."""
    updated: bool = False
    """Whether it has updated the stack, and waits for a server that it has deployed."""


@dataclass
class HistoryRun:
    """One stack with its servers and namespaces, and the oracle's memory of it."""

    root: Path
    commands: Commands
    apis: Apis
    cluster: Cluster
    kubernetes: Mapping[str, object]
    """What the `kubernetes:` namespace of the configuration says."""
    encrypted: Mapping[str, str]
    """A secret as encrypted in a stack's file."""
    fail: Failing
    """Sets which provider operations fail from now on."""
    secrets: tuple[str, ...] = field(repr=False)
    """Values that must not appear in plain text in reports or the state."""
    configuration: Configuration = field(default_factory=Configuration)
    memory: Memory = field(default_factory=Memory)
    listed: bool = True
    edited: set[AdapterName] = field(default_factory=set)
    """Adapters whose Service was edited by others."""
    saved: SavedPlan | None = None
    runs: int = 0
    """Runs that may have changed the stack."""
    log: list[str] = field(default_factory=list)
    """One line for each step so far."""
    _in_file: Written | None = field(default=None, init=False)
    """What was last written."""

    def run(self, history: History) -> None:
        """Run every step of a history."""
        self.cluster.list_found(listed=True)
        for step in history.steps:
            self.log.append(str(step))
            self._step(step)

    def _step(self, step: Step) -> None:
        self._apply_event(step.events)
        self._trouble(step.trouble)
        self._write()
        self.apis.asked()
        if step.refresh:
            self._refresh()
        failing = AdapterName(*step.failing.split("/")) if step.failing else None
        match step.actor:
            case Actor.PLAIN:
                self._update(failing)
            case Actor.WATCH:
                self._watch(failing, counts=step.counts)
            case Actor.CI | Actor.PERSON | Actor.ALL:
                self._up(failing, step)
            case Actor.SAVE:
                self._save()
            case Actor.APPLY:
                self._apply()
        self.apis.trouble({})

    def _apply_event(self, events: tuple[Event, ...]) -> None:
        for event in events:
            match event:
                case Serve() | Stop() | Disable() | Delete():
                    self.apis.apply(event)
                case Add() | Drop() | Rename() | Configure() | ChangeFile():
                    self.configuration = self.configuration.after(event)
                case Unlist(listed):
                    if listed is not self.listed:
                        self.cluster.list_found(listed=listed)
                        self.listed = listed
                case EditService(adapter, edit, manager):
                    self._edit_service(adapter, edit, manager)
                case Approve(what):
                    self._approve(what)

    def _edit_service(self, adapter: AdapterName, edit: ServiceEdit, manager: str) -> None:
        known = self.memory.adapters.get(adapter)
        if known is not None and self.cluster.edit(known.namespace, adapter, edit, manager):
            self.edited.add(adapter)

    def _approve(self, what: Approval) -> None:
        removed = (
            ()
            if what is Approval.NONE
            else tuple(sorted(map(str, self._expect(self._look()).verdict.removed)))
        )
        more = ("media/unknown",) if what is Approval.MORE else ()
        self.configuration = replace(self.configuration, approved=(*removed, *more))

    def _trouble(self, trouble: Mapping[str, Trouble]) -> None:
        # A server that is being deployed gives no usable answer until the command waits for it.
        new = DEPLOYED in self.configuration.named and not self.memory.of(DEPLOYED)
        self.apis.trouble({**trouble, DEPLOYED: Trouble.HTML} if new else trouble)

    def _write(self) -> None:
        """Write the stack's file from the current configuration."""
        state, document = written = self._written
        if written == self._in_file:
            return
        followed, last = self._followed.fingerprint(), self._in_file
        self._in_file = written
        self._write_files(state, document)
        if state not in LOST or (last is not None and last[0] is FileState.RENAMED_PROJECT):
            return
        if self._followed.fingerprint() != followed or not self._followed.problem:
            raise BrokenPromiseError(Promise.IDENTITY, f"to watch it is a change that the file {state}")

    def _write_files(self, state: FileState, document: Mapping[str, Any] | None) -> None:
        project = self._project
        if state is FileState.RENAMED_PROJECT:
            project = project.replace("name: dittoinfra", "name: elsewhere")
        (self.root / "Pulumi.yaml").write_text(project)
        if state is FileState.MISSING:
            self._file.unlink(missing_ok=True)
        elif state is FileState.EMPTY:
            self._file.write_text("")
        else:
            config = {"config": document} if document else {}
            self._file.write_text(yaml.safe_dump(self._encryption | config))

    @property
    def _written(self) -> Written:
        document = self.configuration.document(
            self.cluster.namespaces, self.apis.urls, self.kubernetes, self.encrypted
        )
        return self.configuration.file, document

    def _changes_since(self, written: Written, memory: Memory) -> list[str]:
        """What has changed of that for which answers were given."""
        changed = ["the configuration has changed"] if self._written != written else []
        return changed + (["another run has changed the stack"] if self.memory.noted != memory.noted else [])

    def _refresh(self) -> None:
        before = self._look()
        report = self.commands.refresh()
        assert report.ok or self.edited, report.lines("error")
        after = self._look()
        check_idle(
            Snapshot(before.services, {}, before.ports),
            Snapshot(after.services, {}, after.ports),
            "a refresh",
        )
        self.runs += 1
        there = {adapter for _, adapter in after.services}
        kept = {p: replace(it, standing=p in there) for p, it in self.memory.adapters.items()}
        self.memory = replace(self.memory, adapters=kept)

    def _update(self, failing: AdapterName | None = None) -> None:
        before = self._look()
        expected = self._expect(before)
        with self._failing(failing):
            report = self.commands.update()
        self._judge(expected, before, report, asked=self._asked(expected), failing=failing)

    def _watch(self, failing: AdapterName | None, *, counts: bool) -> None:
        before = self._look()
        expected = self._expect(before, counts=counts)
        with self._failing(failing):
            report, told = self.commands.watch(counts=counts)
        asked = self._asked(expected)
        self._judge(expected, before, report, asked=asked, failing=failing, counts=counts, told=told)

    def _up(self, failing: AdapterName | None, step: Step) -> None:
        before = self._look()
        up = UnderWay(self._expect(before), before)

        def pause() -> None:
            check_idle(up.before, self._look(), "a preview")
            up.asked.append(self._asked(up.expected))
            if step.meanwhile is not None:
                self._disturb(up, step.meanwhile)

        def wait() -> None:
            if step.waiting is not None:
                self._judge_update(up, observer.shown)
                self._disturb(up, step.waiting)
                # Only the deployed server is asked again, and what others changed does not concern it.
                up.expected = replace(up.expected, verdict=held(self.memory), gone=frozenset())
                up.disturbed = False
            self.apis.trouble({})

        observer = Observer(on_wait=wait, on_preview=pause)
        with self._failing(failing):
            report = self._run_up(observer, step.actor)
        joined = self._joined(up.expected)
        if report.ok and not up.moved and not up.expected.verdict.refused:
            up.expected.verdict.declared.update(joined)
        self._judge(
            up.expected,
            up.before,
            report,
            shown=observer.shown,
            asked=_sum(*up.asked, self._asked(up.expected)),
            failing=failing,
            moved=up.moved,
            disturbed=up.disturbed,
            joined=frozenset(joined),
        )

    def _run_up(self, observer: Observer, actor: Actor) -> RunReport:
        if actor is not Actor.ALL:
            return self.commands.up(observer, asks=actor is Actor.PERSON)
        if not self.commands.every_stack():
            return RunReport.completed()
        if self.configuration.file is FileState.MISSING:
            raise BrokenPromiseError(Promise.IDENTITY, "a stack is run that only the backend knows")
        return self.commands.up(observer, asks=False)

    def _judge_update(self, up: UnderWay, shown: RunReport | None) -> None:
        """Judge the update of a command that now waits for a server that it has deployed."""
        self._judge(
            up.expected,
            up.before,
            RunReport.completed(),
            shown=shown,
            asked=_sum(*up.asked, self._asked(up.expected)),
            moved=up.moved,
            disturbed=up.disturbed,
        )
        up.asked.clear()
        up.updated = True

    def _disturb(self, up: UnderWay, meanwhile: Meanwhile) -> None:
        """Let something happen beside a command."""
        written, memory = self._written, self.memory
        resources = declared_resources(self._state)
        self._apply_event(meanwhile.events)
        self._trouble(meanwhile.trouble)
        self._write()
        if meanwhile.run is not None:
            self.apis.asked()
            if meanwhile.run is Actor.WATCH:
                self._watch(None, counts=True)
            else:
                self._update()
            self.apis.asked()
        up.before = self._look()
        # After its update a command asks nobody else again, and uses what the stack remembers then.
        known = self.memory if up.updated else memory
        up.moved = " and ".join(self._changes_since(written, known))
        up.disturbed = declared_resources(self._state) != resources

    def _joined(self, expected: Expected) -> dict[AdapterName, Known]:
        """Adapters of the server that this command has deployed and waited for."""
        lost = expected.configuration.lost or DEPLOYED not in expected.configuration.named
        if lost or expected.answers[DEPLOYED] is not None or expected.memory.of(DEPLOYED):
            return {}
        where = expected.configuration.namespace_of(DEPLOYED)
        return {
            AdapterName(DEPLOYED, kind): Known(reported.port_of(kind), 0, where)
            for kind, reported in (self.apis.answer(DEPLOYED) or {}).items()
            if reported.serving
        }

    def _save(self) -> None:
        before = self._look()
        expected = self._expect(before)
        observer = Observer()
        file = self.root / "saved.plan"
        report, plan = self.commands.save(observer, file)
        self._check_secrets(report, file.read_text() if plan else "")
        check_idle(before, self._look(), "a preview")
        if self.configuration.file is FileState.RENAMED_PROJECT:
            # That is the stack of another project.
            self.saved = None
            return
        if report.ok is expected.verdict.refused and not self.edited:
            said = "; ".join(report.lines("error")) or "a preview that would lose Services is not stopped"
            raise BrokenPromiseError(Promise.IDENTITY if report.ok else Promise.OWN, said)
        self.saved = SavedPlan(plan, report, expected, self._written, self.runs) if plan else None

    def _apply(self) -> None:
        saved, self.saved = self.saved, None
        if saved is None:
            return
        before = self._look()
        now = self._expect(before)
        report = self.commands.up(Observer(), asks=False, plan=saved.plan)
        changed = self._changes_since(saved.written, saved.expected.memory)
        outdated = any(self._refusal in line for line in report.lines("error"))
        if changed and not outdated:
            said = "; ".join(report.lines("error")) or "it is applied"
            raise BrokenPromiseError(
                Promise.SHOWN, f"{' and '.join(changed)} since the plan was saved: {said}"
            )
        moved = [*changed, *self._contradictions(saved, now)]
        exact = (
            not moved
            and self.runs == saved.runs
            and now.answers == saved.expected.answers
            and now.verdict.asked == saved.expected.verdict.asked
        )
        # Where others have edited Services, an update may also fail on the way.
        if not report.ok and not moved and not exact and not self.edited:
            moved = ["a saved plan is refused"]
        self._judge(
            saved.expected,
            before,
            report,
            shown=saved.shown,
            asked=_sum(self._asked(now), dict.fromkeys(now.verdict.asked, 1)),
            moved=" and ".join(moved),
        )

    @property
    def _refusal(self) -> str:
        """How a plan is refused that another configuration or state meets."""
        if self.configuration.exposes_secret:
            return EXPOSED
        return UNREAD if self.configuration.file is FileState.RENAMED_PROJECT else OUTDATED

    def _contradictions(self, saved: SavedPlan, now: Expected) -> Iterator[str]:
        """Removals of a plan that a run would not make today, or whose server is silent today."""
        for adapter in saved.expected.verdict.removed:
            silent = adapter.server in now.verdict.asked and now.answers[adapter.server] is None
            if silent or adapter not in now.verdict.removed:
                yield f"{adapter} is served, or its server is silent"

    def _judge(
        self,
        expected: Expected,
        before: Snapshot,
        report: RunReport,
        *,
        asked: Mapping[str, int],
        shown: RunReport | None = None,
        failing: AdapterName | None = None,
        moved: str = "",
        disturbed: bool = False,
        joined: frozenset[AdapterName] = frozenset(),
        counts: bool = True,
        told: Told | None = None,
    ) -> None:
        self._check_secrets(report, shown)
        after = self._look()
        ran = Ran(
            verdict=expected.verdict,
            before=before,
            after=after,
            report=report,
            shown=shown,
            asked=asked,
            absence_polls=expected.configuration.absence_polls_of,
            moved=moved,
            disturbed=disturbed,
            edited=frozenset(self.edited),
            failing=failing,
            gone=expected.gone,
            joined=joined,
            counts=counts,
            told=told,
        )
        check(ran)
        # Services that were created again are unedited.
        self.edited -= {adapter for _, adapter in after.services.keys() - before.services.keys()}
        self.runs += 1
        if report.ok and not ran.must_stop:
            self.memory = expected.verdict.memory
        elif not ran.must_stop and not ran.idle:
            self.memory = self._partly(expected, after, failing)

    def _check_secrets(self, *said: object) -> None:
        """Check what a command has said, and the state that it leaves."""
        state = self._state.read_text() if self._state.exists() else ""
        for where, text in (("the state", state), ("what a command says", str(said))):
            if any(secret in text for secret in self.secrets):
                raise BrokenPromiseError(Promise.SECRET, f"a secret is in the clear in {where}")

    def _partly(self, expected: Expected, after: Snapshot, failing: AdapterName | None) -> Memory:
        """The memory after a run that failed part-way: for each adapter the old or the new."""
        old, new = self.memory.adapters, expected.verdict.declared
        kept: dict[AdapterName, Known] = {}
        for adapter in old.keys() | new.keys():
            it = after.memory.get(adapter)
            for known in (new.get(adapter), old.get(adapter)):
                if known is not None and (adapter == failing or it == (known.port, known.count)):
                    kept[adapter] = replace(known, standing=adapter != failing and known.standing)
                    break
            else:
                assert it is None or adapter in self.edited, f"{adapter} is remembered wrongly: {it}"
        return replace(expected.verdict.memory, adapters=kept)

    def _expect(self, before: Snapshot, *, counts: bool = True) -> Expected:
        answers: dict[str, Answer] = {name: self._answer(name) for name in (*self.configuration.named, FOUND)}
        denied = frozenset(name for name in answers if self.apis.denies(self._api(name)))
        verdict = judge(
            self.configuration,
            self.memory,
            lambda name: answers[name],
            listed=self.listed,
            denied=denied,
            counts=counts,
        )
        there = {adapter for _, adapter in before.services}
        gone = frozenset(self.memory.adapters.keys() - there)
        return Expected(self.configuration, self.memory, verdict, answers, gone)

    def _answer(self, name: str) -> Answer:
        return self.apis.answer(self._api(name))

    def _api(self, name: str) -> str:
        block = self.configuration.named.get(name)
        return block.api if block else name

    def _asked(self, expected: Expected) -> Mapping[str, int]:
        """Answers since the last call, by the server's name in the configuration."""
        counts = self.apis.asked()
        asked = {name: counts[block.api] for name, block in expected.configuration.named.items()}
        listed = FOUND in expected.verdict.asked
        return asked if FOUND in asked else {**asked, FOUND: counts[FOUND] if listed else 1}

    def _look(self) -> Snapshot:
        deployed = DEPLOYED in self.configuration.named
        ports = self.cluster.container_ports(DEPLOYED) if deployed else None
        return Snapshot(self.cluster.services(), remembered(self._state), ports)

    @contextmanager
    def _failing(self, adapter: AdapterName | None) -> Iterator[None]:
        self.fail(frozenset({("create", str(adapter))} if adapter else ()))
        try:
            yield
        finally:
            self.fail(frozenset())

    @cached_property
    def _followed(self) -> ConfigFiles:
        """The stack's file as watch follows it."""
        return ConfigFiles.of(self.root, STACK)

    @cached_property
    def _encryption(self) -> dict[str, Any]:
        """How secrets are encrypted, as every file of the stack says."""
        written: dict[str, Any] = yaml.safe_load((self.root / "encryption.yaml").read_text()) or {}
        return written

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
