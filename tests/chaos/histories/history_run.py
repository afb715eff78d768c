"""Runs a history step by step and checks every promise after each step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.absence_count import AbsenceCount
from tests.chaos.histories.cluster_edits import NamespaceServices
from tests.chaos.histories.events import (
    SERVERS,
    AdapterName,
    Approval,
    Configure,
    EditService,
    Event,
    History,
    Step,
)
from tests.chaos.histories.manifests import service_name
from tests.chaos.histories.oracle import Answer, judge
from tests.chaos.histories.promises import check_idle, check_operations, check_run
from tests.chaos.histories.run import ExpectedRun, Run, Snapshot, operations_of
from tests.chaos.histories.servers import Servers
from tests.chaos.histories.stack_configuration import StackConfiguration
from tests.chaos.histories.state import Held, has_servers, held
from tests.engine.world import STACK, World

STATICS = tuple(f"{name}-{what}" for name in SERVERS for what in ("headless", "api", "metrics", "file"))
"""Other Services of a server."""

Failing = Callable[[frozenset[tuple[str, str]]], None]


@dataclass
class HistoryRun:
    """One stack with its servers and its namespace."""

    world: World
    servers: Servers
    cluster: NamespaceServices
    namespace: str
    fail: Failing
    """Sets which provider operations fail from now on."""
    configuration: StackConfiguration = field(default_factory=StackConfiguration)
    absence_count: AbsenceCount = field(default_factory=AbsenceCount)
    log: list[str] = field(default_factory=list)
    """One line for each step so far."""

    def run(self, history: History) -> None:
        """Run every step, each checked before the next one."""
        for name in STATICS:
            self.cluster.create(name)
        for step in history.steps:
            self.log.append(str(step))
            self._run_step(step)
        self._check_secrets()

    def _run_step(self, step: Step) -> None:
        for event in step.events:
            self._apply_event(event)
        self.servers.begin(step.trouble)
        if step.refresh:
            self._refresh()
        if step.approval:
            self._approve(step.approval)
        self._configure()
        expected = ExpectedRun(
            step, self.configuration, self.namespace, self._answers(), self._snapshot(), self._locked_out()
        )
        preview = self._preview(expected) if step.preview else None
        with self._failing(step):
            run = Run(expected, preview, self._checked(self.world.stack.up()), self._snapshot())
        self.absence_count.add_run(expected)
        check_run(run, self.absence_count)
        self.servers.end()

    def _apply_event(self, event: Event) -> None:
        match event:
            case EditService(adapter, edit):
                self.cluster.edit(service_name(adapter), edit)
            case Configure(key, value):
                self.configuration = replace(self.configuration, **{key: value})
            case _:
                self.servers.apply(event)

    def _approve(self, what: Approval) -> None:
        removed = map(str, judge(self.configuration, self._held(), self._answers()).removed)
        more = ["media/unknown"] if what is Approval.MORE else []
        self.configuration = replace(
            self.configuration, approved=() if what is Approval.NONE else (*removed, *more)
        )

    def _configure(self) -> None:
        hopeless = frozenset(name for name, what in self.servers.trouble.items() if what.unreachable)
        servers = self.configuration.server_settings(self.namespace, self.servers.urls, hopeless)
        self.world.configure(*servers, **self.configuration.stack_settings())

    def _refresh(self) -> None:
        before = self.cluster.services()
        report = self._checked(self.world.stack.refresh())
        assert report.ok, report.lines("error")
        assert self.cluster.services() == before, "a refresh changes nothing in the cluster"

    def _preview(self, expected: ExpectedRun) -> RunReport:
        report = self._checked(self.world.stack.preview())
        must_fail = bool(expected.verdict.refused or expected.unpreviewable)
        assert report.ok is not must_fail, report.lines("error")
        if report.ok:
            check_operations(expected, operations_of(report), "the preview")
        check_idle(expected.before, self._snapshot(), "a preview")
        return report

    @contextmanager
    def _failing(self, step: Step) -> Iterator[None]:
        self.fail(step.failing)
        try:
            yield
        finally:
            self.fail(frozenset())

    def _checked(self, report: RunReport) -> RunReport:
        assert self.world.password not in str(report), "a run reveals its password"
        return report

    def _snapshot(self) -> Snapshot:
        return Snapshot(self.cluster.services(), self._held())

    def _answers(self) -> dict[str, Answer]:
        return {name: self.servers.answer(name) for name in self.configuration.servers}

    def _locked_out(self) -> frozenset[str]:
        if has_servers(self._state):
            return frozenset()
        return frozenset(name for name in self.configuration.servers if self.servers.denies(name))

    def _held(self) -> dict[AdapterName, Held]:
        return held(self._state)

    @property
    def _state(self) -> Path:
        return self._backend / "stacks" / "dittoinfra" / f"{STACK}.json"

    @property
    def _backend(self) -> Path:
        return self.world.root / ".pulumi"

    def _check_secrets(self) -> None:
        password = self.world.password.encode()
        files = [path for path in self._backend.rglob("*") if path.is_file()]
        assert self._state in files, "the state file is missing"
        assert not [path for path in files if password in path.read_bytes()], "the password is in the state"
