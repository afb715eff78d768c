"""Reports and saved data of one stack when something fails outside the engine."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.decide.decision import Decision
from dittoinfra.decide.observations import Answers, Fingerprints
from dittoinfra.model import (
    Answered,
    Denied,
    Outcome,
    RememberedServer,
    ServerDecision,
    StackDecision,
    Unreachable,
)
from dittoinfra.program.answer_fingerprints import differences
from dittoinfra.program.survey import RunRecord
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.status.queries import query_stacks
from dittoinfra.request import Operation, Request, RunOptions
from dittoinfra.settings import ServerSecrets, ServerSettings, StackSettings
from dittoinfra.settings.configuration import Configuration
from dittoinfra.stacks import operations, recovery, server_access
from dittoinfra.stacks.cli_process import CliFailedError, Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.result import Diagnostic, Phase, RunReport, StackResult, Step
from dittoinfra.stacks.server_access import just_deployed, second_run_answers
from dittoinfra.state import Memory
from tests.pure.decide.make import remembering

NFS = "urn:pulumi:prod::dittoinfra::kubernetes:core/v1:Service::media/nfs"
DELETED = RunReport(
    Changes(delete=1), (Step("delete", "kubernetes:core/v1:Service", "media/nfs", NFS),), (), 0
)


@dataclass
class Ear:
    """Remembers what was said."""

    heard: list[Diagnostic] = field(default_factory=list)
    results: list[StackResult] = field(default_factory=list)

    def began(self, stack: str, phase: Phase) -> None:
        """Nothing to remember."""

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Nothing to remember."""

    def said(self, stack: str, message: Diagnostic) -> None:
        """Remember it."""
        self.heard.append(message)

    def previewed(self, result: StackResult) -> None:
        """Nothing to remember."""

    def ended(self, result: StackResult) -> None:
        """Remember it."""
        self.results.append(result)


NOTHING = RunReport(Changes(), (), (), 0)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose CLI is never called, and whose runs were never interrupted."""
    monkeypatch.setattr(operations, "recover", lambda stack: NOTHING)
    return Project(tmp_path, cast("PulumiCommand", None), {})


def _done(project: Project, request: Request) -> tuple[RunReport, Ear]:
    ear = Ear()
    request = replace(request, skip_preview=True)
    result = operate(project, ["prod"], request, watcher=ear, processes=Processes())
    assert result is not None
    return result.results[0].report, ear


def _says_no(exit_code: int, said: str) -> Callable[[ProjectStack], None]:
    def refuse(stack: ProjectStack) -> None:
        raise CliFailedError(("stack", "rm"), exit_code, said)

    return refuse


def test_what_was_destroyed_is_told_although_the_stack_cannot_be_removed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectStack, "destroy", lambda stack, options, **_: DELETED)
    monkeypatch.setattr(ProjectStack, "remove", _says_no(4, "error: it still has resources"))

    report, ear = _done(project, Request(Operation.DESTROY, remove=True))

    error = Diagnostic("error", "pulumi stack rm: it still has resources")
    assert (report.steps, report.changes, report.exit_code) == (DELETED.steps, DELETED.changes, 4)
    assert report.diagnostics == (error,)
    assert ear.heard == [error]


@pytest.mark.parametrize(
    ("operation", "exit_code", "ends_with"),
    [(Operation.UP, 6, 0), (Operation.UP, 3, 3), (Operation.DESTROY, 6, 6)],
)
def test_a_stack_that_is_about_to_be_created_has_no_lock_to_break(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    operation: Operation,
    exit_code: int,
    ends_with: int,
) -> None:
    monkeypatch.setattr(ProjectStack, "break_lock", _says_no(exit_code, "error: no stack named 'prod'"))
    monkeypatch.setattr(ProjectStack, "up", lambda stack, options, **_: RunReport(Changes(), (), (), 0))

    report, _ = _done(project, Request(operation, break_lock=True))

    assert report.exit_code == ends_with


def test_an_error_of_ours_is_told_without_its_text(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> RunReport:
        raise KeyError("a-password")

    monkeypatch.setattr(ProjectStack, "refresh", broken)

    report, _ = _done(project, Request(Operation.REFRESH))
    [asked] = query_stacks(project, ["prod"], broken, at_once=1, processes=Processes())

    assert isinstance(asked, Failure)
    assert report.lines("error") == [*asked.errors] == ["internal error: KeyError; please report it"]


@pytest.mark.parametrize(
    ("missed", "targets", "kept"),
    [
        ((), (), None),
        ((NFS,), (), "look for it, then run `pulumi refresh --stack prod`"),
        ((), ("urn:other",), "`dittoinfra up prod` without --target checks and completes it"),
    ],
)
def test_marks_of_an_interrupted_run_stay_unless_all_of_them_were_made_sure_of(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    missed: tuple[str, ...],
    targets: tuple[str, ...],
    kept: str | None,
) -> None:
    updated = RunReport(Changes(), (), (), 0, pending=(NFS,), missed=missed)
    taken: list[object] = []
    monkeypatch.setattr(ProjectStack, "up", lambda stack, options, **_: updated)
    monkeypatch.setattr(recovery, "clear_pending", lambda stack, urn: taken.append(urn))

    report, ear = _done(project, Request(Operation.UP, options=RunOptions(targets=targets)))

    assert report.ok
    assert taken == ([NFS] if kept is None else [])
    lines = [f"media/nfs: this run did not check and complete it, so its mark stays; {kept}"] if kept else []
    assert report.lines("warning") == [said.text for said in ear.heard] == lines


def test_what_was_found_of_an_interrupted_run_is_told_with_the_next_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Diagnostic("info", "media/nfs: it is there")
    monkeypatch.setattr(operations, "recover", lambda stack: NOTHING.saying(found))
    monkeypatch.setattr(ProjectStack, "up", lambda stack, options, **_: DELETED)

    report, _ = _done(project, Request(Operation.UP))

    assert (report.diagnostics, report.steps) == ((found,), DELETED.steps)


def test_nothing_is_done_to_a_stack_that_another_run_holds(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = RunReport.failed("the stack is locked", 1)
    monkeypatch.setattr(operations, "recover", lambda stack: locked)
    monkeypatch.setattr(ProjectStack, "destroy", lambda stack, options, **_: pytest.fail("it was destroyed"))

    report, _ = _done(project, Request(Operation.DESTROY))

    assert (report.lines("error"), report.exit_code) == (["the stack is locked"], 1)


def test_two_runs_as_one_say_what_both_said_once() -> None:
    silent, served = Diagnostic("warning", "media: silent"), Diagnostic("info", "media: served")
    first = RunReport(Changes(create=1), (), (silent,), 0)
    later = RunReport(Changes(create=2), (), (silent, served), 0)

    assert first.followed_by(later).diagnostics == (silent, served)


@pytest.mark.parametrize(
    ("outcome", "password", "awaited"),
    [
        (Unreachable("starting"), None, True),
        (Denied("who is reader?"), None, False),
        (Denied("who is reader?"), "the-admin-password", True),
    ],
)
def test_a_new_server_that_refuses_us_is_awaited_where_its_administrator_can_let_us_in(
    outcome: Outcome, password: str | None, awaited: bool
) -> None:
    server = ServerSettings.model_validate(
        {"name": "media", "namespace": "files", "deploy": {}, "api": {"passwordEnv": "PASSWORD"}}
    )
    secrets = {"media": ServerSecrets.model_validate({"adminPassword": password})} if password else {}
    settings = StackSettings.model_construct(server_secrets=secrets, passwords={})
    decided = StackDecision({"media": ServerDecision("media", outcome, True, (), ())}, 0, (), ())
    decision = Decision(decided, known=(server,))
    configuration = Configuration("dittoinfra", "prod", Path(), {}, frozenset())
    first = RunRecord(configuration, settings, Memory(), Answers(Fingerprints()), decision)

    found = just_deployed(first, {"PASSWORD": "any"})

    assert found == ((server,) if awaited else ())


@pytest.mark.parametrize("targeted", [False, True])
def test_the_run_after_a_deployment_accepts_no_server_that_the_first_one_removed(targeted: bool) -> None:
    before = Memory(
        adapters={"gone": remembering(("nfs", 12049))}, servers={"gone": RememberedServer("files")}
    )
    decided = StackDecision({"media": ServerDecision("media", Unreachable("new"), True, (), ())}, 0, (), ())
    configuration = Configuration("dittoinfra", "prod", Path(), {}, frozenset())
    first = RunRecord(configuration, StackSettings(), before, Answers(Fingerprints()), Decision(decided))

    answers = second_run_answers(first, {"media": Answered(())}, targeted=targeted)
    declared_again = differences(answers.given_for, Fingerprints(memory={"media": "", "gone/nfs": ""}))

    # A run with targets may have left it in the state.
    assert declared_again == (() if targeted else ("gone is new in what the stack remembers",))
    assert ("gone" in answers.polls) is targeted


def test_a_new_server_that_refuses_us_is_not_called_silent(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ServerSettings.model_validate({"name": "media", "deploy": {}})
    updated = replace(NOTHING, decided=cast("RunRecord", object()))
    monkeypatch.setattr(ProjectStack, "up", lambda stack, options, **_: updated)
    monkeypatch.setattr(server_access, "just_deployed", lambda *_: (server,))
    monkeypatch.setattr(server_access, "await_answers", lambda *_: {"media": Denied("wrong password")})

    report, ear = _done(project, Request(Operation.UP))

    assert (
        report.lines("warning")
        == [said.text for said in ear.heard]
        == [
            "media: deployed, but it refused the login (denied: wrong password); when its login is accepted, "
            "`dittoinfra up prod` declares its adapters"
        ]
    )
