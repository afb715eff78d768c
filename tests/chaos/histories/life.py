"""Living through a history, step by step, with everything that was promised checked after each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.events import (
    SERVERS,
    Approval,
    Configure,
    Event,
    History,
    Place,
    Step,
    Touch,
)
from tests.chaos.histories.hands import Hands
from tests.chaos.histories.manifests import service_name
from tests.chaos.histories.oracle import Answer, judge
from tests.chaos.histories.promises import check_idle, check_run, check_told
from tests.chaos.histories.run import Moment, Outlook, Run, operations_of
from tests.chaos.histories.servers import Servers
from tests.chaos.histories.state import Held, has_servers, held
from tests.chaos.histories.wishes import Wishes
from tests.chaos.histories.witness import Witness
from tests.engine.world import STACK, World

STATICS = tuple(f"{name}-{what}" for name in SERVERS for what in ("headless", "api", "metrics", "file"))
"""Services that a server has beside its adapters'."""

Failing = Callable[[frozenset[tuple[str, str]]], None]


@dataclass
class Life:
    """One stack, its servers and its namespace."""

    world: World
    servers: Servers
    hands: Hands
    namespace: str
    fail: Failing
    """Tells the provider which operations fail from now on."""
    wishes: Wishes = field(default_factory=Wishes)
    witness: Witness = field(default_factory=Witness)
    lived: list[str] = field(default_factory=list)
    """What has happened so far, a line for each step."""

    def live(self, history: History) -> None:
        """Every step of a history, each checked before the next one begins."""
        for name in STATICS:
            self.hands.create(name)
        for step in history.steps:
            self.lived.append(str(step))
            self._live(step)
        self._check_secrets()

    def _live(self, step: Step) -> None:
        for event in step.events:
            self._happen(event)
        self.servers.begin(step.trouble)
        if step.refresh:
            self._refresh()
        if step.approval:
            self._approve(step.approval)
        self._configure()
        outlook = Outlook(
            step, self.wishes, self.namespace, self._answers(), self._moment(), self._locked_out()
        )
        foretold = self._preview(outlook) if step.preview else None
        with self._failing(step):
            run = Run(outlook, foretold, self._told(self.world.stack.up()), self._moment())
        self.witness.listen(outlook)
        check_run(run, self.witness)
        self.servers.end()

    def _happen(self, event: Event) -> None:
        match event:
            case Touch(place, hand):
                self.hands.touch(service_name(place), hand)
            case Configure(key, value):
                self.wishes = replace(self.wishes, **{key: value})
            case _:
                self.servers.happen(event)

    def _approve(self, what: Approval) -> None:
        removed = map(str, judge(self.wishes, self._held(), self._answers()).removed)
        more = ["media/nobody"] if what is Approval.MORE else []
        self.wishes = replace(self.wishes, approved=() if what is Approval.NONE else (*removed, *more))

    def _configure(self) -> None:
        hopeless = frozenset(name for name, what in self.servers.trouble.items() if what.unreachable)
        servers = self.wishes.server_settings(self.namespace, self.servers.urls, hopeless)
        self.world.configure(*servers, **self.wishes.stack_settings())

    def _refresh(self) -> None:
        before = self.hands.services()
        report = self._told(self.world.stack.refresh())
        assert report.ok, report.lines("error")
        assert self.hands.services() == before, "a refresh changes nothing in the cluster"

    def _preview(self, outlook: Outlook) -> RunReport:
        report = self._told(self.world.stack.preview())
        must_fail = bool(outlook.verdict.refused or outlook.unpreviewable)
        assert report.ok is not must_fail, report.lines("error")
        if report.ok:
            check_told(outlook, operations_of(report), "the preview")
        check_idle(outlook.before, self._moment(), "a preview")
        return report

    @contextmanager
    def _failing(self, step: Step) -> Iterator[None]:
        self.fail(step.failing)
        try:
            yield
        finally:
            self.fail(frozenset())

    def _told(self, report: RunReport) -> RunReport:
        assert self.world.password not in str(report), "a run tells its password"
        return report

    def _moment(self) -> Moment:
        return Moment(self.hands.services(), self._held())

    def _answers(self) -> dict[str, Answer]:
        return {name: self.servers.answer(name) for name in self.wishes.servers}

    def _locked_out(self) -> frozenset[str]:
        if has_servers(self._state):
            return frozenset()
        return frozenset(name for name in self.wishes.servers if self.servers.denies(name))

    def _held(self) -> dict[Place, Held]:
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
        assert self._state in files, "the state is somewhere else"
        assert not [path for path in files if password in path.read_bytes()], "the password is in the state"
