"""One stack of this project, run in-process on the real engine."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pulumi
from pulumi import automation as auto
from typing_extensions import override

from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.prefetch import prefetch_program
from dittoinfra.projectfile import always_refreshes, foreign_program, unreadable_config
from dittoinfra.request import Operation, RunOptions
from dittoinfra.sdk_internals import InlineStack, patch_sdk
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_errors import (
    INVALID_CONFIGURATION,
    CliFailure,
    is_gone,
    killed,
    parse_failure,
)
from dittoinfra.stacks.cli_process import (
    CliFailedError,
    InterruptedRunError,
    InterruptibleCommand,
    cli_failure,
)
from dittoinfra.stacks.recorder import Recorder, decided_reasons
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.stacks.sdk_command import SdkCommand
from dittoinfra.stacks.stack_survey import check_destroy, context_of
from dittoinfra.stacks.update_message import DESTROYED
from dittoinfra.urns import service_adapter

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.decide.observations import Answers
    from dittoinfra.model import Note
    from dittoinfra.program.run_errors import RunStopped
    from dittoinfra.program.survey import RunRecord

_DEFAULTS = RunOptions()
Why = Callable[[str], str | None]
"""Why a run changes a resource, by its URN; None where the run had no reason of its own."""

OnEvent = Callable[[auto.EngineEvent, Why], None]


@dataclass
class ProjectStack(BackendStack):
    """A stack whose program runs in this process: no language host, no second interpreter."""

    on_output: Callable[[str], None] | None = None
    """Receives what the CLI would print, line by line."""
    on_event: OnEvent | None = None
    """Receives every event of the engine as it happens, and the reasons of the run."""
    on_diagnostic: Callable[[Diagnostic], None] | None = None
    """Receives every message of a run as soon as it is known, each once."""
    _stopped: "RunStopped | None" = field(default=None, init=False)
    _decided: "RunRecord | None" = field(default=None, init=False)
    _reasons: Mapping[str, str] = field(default_factory=dict, init=False)
    _given: "Answers | None" = field(default=None, init=False)
    _stops_at_changes: bool = field(default=False, init=False)

    @classmethod
    def of(cls, stack: BackendStack) -> "ProjectStack":
        """A stack that is to be run."""
        return cls(stack.command, stack.root, stack.name, stack.environment, stack.create, stack.early)

    def preview(
        self,
        options: RunOptions = _DEFAULTS,
        given: "Answers | None" = None,
        *,
        stops_at_changes: bool = False,
    ) -> RunReport:
        """What `up` would do.

        The program uses the answers that are `given`, or polls the servers. With `stops_at_changes` it stops
        where objects were deleted or edited in the cluster: a refresh has to come first.
        """
        self._give(given, options)
        self._stops_at_changes = stops_at_changes
        prefetch_program()
        return self._run(self._stack.preview, options.for_sdk(Operation.PREVIEW))

    def up(
        self,
        options: RunOptions = _DEFAULTS,
        given: "Answers | None" = None,
        *,
        stops_at_changes: bool = False,
    ) -> RunReport:
        """Declare the resources and apply them; `given` and `stops_at_changes` as for a preview."""
        self._give(given, options)
        self._stops_at_changes = stops_at_changes
        prefetch_program()
        return self._run(self._stack.up, options.for_sdk(Operation.UP))

    def _give(self, given: "Answers | None", options: RunOptions) -> None:
        refreshes = options.refresh or always_refreshes(self.root)
        self._given = given.inexact() if given is not None and refreshes else given

    def refresh(self, options: RunOptions = _DEFAULTS, *, clear_pending_creates: bool = False) -> RunReport:
        """Update the state to match the cluster."""
        arguments = options.for_sdk(Operation.REFRESH)
        if clear_pending_creates:
            arguments["clear_pending_creates"] = True
        return self._run(self._stack.refresh, arguments)

    def preview_refresh(self, options: RunOptions = _DEFAULTS) -> RunReport:
        """What `refresh` would change in the state."""
        return self._run(self._stack.preview_refresh, options.for_sdk(Operation.REFRESH))

    def destroy(
        self, options: RunOptions = _DEFAULTS, deployment: Mapping[str, Any] | None = None
    ) -> RunReport:
        """Delete everything the stack holds, unless that hits objects of other managers, or clients.

        `deployment` is the exported state, where the caller has read that already.
        """
        return self._destroy(self._stack.destroy, options, deployment)

    def preview_destroy(
        self, options: RunOptions = _DEFAULTS, deployment: Mapping[str, Any] | None = None
    ) -> RunReport:
        """What `destroy` would delete; `deployment` as there."""
        return self._destroy(self._stack.preview_destroy, options, deployment)

    def _destroy(
        self, operation: Callable[..., object], options: RunOptions, deployment: Mapping[str, Any] | None
    ) -> RunReport:
        check = partial(check_destroy, self, options.targets, deployment)
        return self._run(operation, options.for_sdk(Operation.DESTROY), check)

    @cached_property
    def _stack(self) -> auto.Stack:
        patch_sdk()
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=dict(self.environment),
            pulumi_command=SdkCommand(self.command),
        )
        return InlineStack(self.name, workspace)

    def _program(self) -> None:
        from dittoinfra.program.engine_run import run
        from dittoinfra.program.run_errors import ConfigurationRefused, RunStopped

        try:
            if reason := foreign_program(self.root):
                raise ConfigurationRefused([reason])
            self._decided = run(
                self.root,
                self.environment,
                self._given,
                context=context_of(self),
                stops_at_changes=self._stops_at_changes,
            )
            # The engine learns of nothing that was declared before this function returns.
            self._reasons = decided_reasons(self._decided)
        except RunStopped as stopped:
            self._stopped, self._decided = stopped, stopped.record
            raise pulumi.RunError(str(stopped)) from None

    def _run(
        self,
        operation: Callable[..., object],
        arguments: dict[str, Any],
        check: Callable[[], "Sequence[Note]"] | None = None,
    ) -> RunReport:
        """Run an operation of the engine; `check` tells why it must not begin, or what is said before."""
        recorder = Recorder(self.on_diagnostic or (lambda _: None))
        self._stopped = self._decided = None
        if wrong := unreadable_config(self.root, self.name):
            return recorder.report(ExitCode.CONFIGURATION, None, wrong)

        def listen(event: auto.EngineEvent) -> None:
            recorder.listen(event)
            if self.on_event is not None:
                self.on_event(event, self._why)

        arguments |= {"on_event": listen, "on_output": self.on_output, "suppress_progress": True}
        try:
            if check is not None and (stopped := _refused(check, recorder)) is not None:
                return recorder.report(stopped.exit_code, None, *map(str, stopped.reasons))
            self._created_if_missing(lambda: operation(**arguments))
        except InterruptedRunError:
            return recorder.report(ExitCode.CANCELLED, None, "cancelled before it began")
        except auto.CommandError as error:
            return self._failed(recorder, error)
        except CliFailedError as error:
            return _not_begun(recorder, cli_failure(self.name, error))
        return recorder.report(0, self._decided)

    def _failed(self, recorder: Recorder, error: auto.CommandError) -> RunReport:
        from dittoinfra.program.run_errors import ClusterChanged, PlanOutdated

        exit_code = self._stopped.exit_code if self._stopped is not None else _sdk_exit_code(error)
        if self._stopped is None and recorder.policy_violated:
            # The CLI says no more than that the run has failed.
            exit_code = ExitCode.POLICY
        if isinstance(self.command, InterruptibleCommand) and self.command.processes.interrupted:
            return recorder.report(ExitCode.CANCELLED, self._decided)
        found = killed(str(error))
        if found is None and recorder.failed:
            return replace(
                recorder.report(exit_code, self._decided),
                cluster_changed=isinstance(self._stopped, ClusterChanged),
                outdated=isinstance(self._stopped, PlanOutdated),
            )
        if found is None and INVALID_CONFIGURATION in str(error) and (wrong := self._problems()):
            return recorder.report(ExitCode.CONFIGURATION, None, *wrong)
        found = found or parse_failure(self.name, str(error), exit_code, is_gone)
        if found is None:
            return recorder.report(exit_code, self._decided)
        return _not_begun(recorder, found, self._decided)

    @override
    def _exit_code(self, error: Exception) -> int | None:
        return _sdk_exit_code(error) if isinstance(error, auto.CommandError) else super()._exit_code(error)

    def _why(self, urn: str) -> str | None:
        # Only `destroy` changes objects without a decision.
        adapter = service_adapter(urn)
        return DESTROYED if self._decided is None else self._reasons.get(adapter) if adapter else None

    def _problems(self) -> tuple[str, ...]:
        """Everything that is wrong with the configuration: the engine tells the first only, and no place."""
        from dittoinfra.settings import ConfigurationError

        try:
            self.configuration().settings()
        except ConfigurationError as error:
            return tuple(map(str, error.problems))
        except CliFailedError as error:
            return (str(error),)
        return ()


def _sdk_exit_code(error: auto.CommandError) -> int:
    # The SDK exposes the CLI's exit code only in its message.
    code = re.search(r"^\s*code: (\d+)", str(error), re.MULTILINE)
    return int(code[1]) if code else ExitCode.GENERIC


def _not_begun(recorder: Recorder, failure: CliFailure, decided: "RunRecord | None" = None) -> RunReport:
    return replace(recorder.report(failure.exit_code, decided, failure.line), lock=failure.lock)


def _refused(check: Callable[[], "Sequence[Note]"], recorder: Recorder) -> "RunStopped | None":
    """Why an operation must not begin; what is said before one that may is recorded."""
    from dittoinfra.program.run_errors import RunStopped

    try:
        notes = check()
    except RunStopped as stopped:
        return stopped
    for note in notes:
        recorder.say(Diagnostic("warning" if note.warning else "info", f"{note.server}: {note.text}"))
    return None
