"""One stack of this project, run in-process on the real engine."""

from dittoinfra import lean_collector  # isort: skip  # noqa: F401 - before everything that is large
import json
import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pulumi import automation as auto

from dittoinfra.exitcodes import ExitCode
from dittoinfra.projectfile import (
    foreign_program,
    project_defaults,
    read_project,
    stack_file,
    unreadable_config,
    written_values,
)
from dittoinfra.request import Operation, RunOptions
from dittoinfra.stacks.cli_errors import (
    INVALID_CONFIGURATION,
    CliFailure,
    is_gone,
    killed,
    parse_failure,
)
from dittoinfra.stacks.cli_process import (
    CliFailedError,
    CommandLine,
    ConfigFileError,
    InterruptedRunError,
    InterruptibleCommand,
    cli_failure,
)
from dittoinfra.stacks.cli_question import EarlyQuestion, configuration_question
from dittoinfra.stacks.file_backend import (
    LockHolder,
    StackFiles,
    backend_url,
    files_at,
    has_no_pending_operations,
    lock_holder,
    repair,
    stack_files,
    stored_deployment,
    stored_history,
)
from dittoinfra.stacks.recorder import Recorder, decided_reasons
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.stacks.sdk_patches import InlineStack, patch_sdk
from dittoinfra.stacks.survey import check_destroy, context_of
from dittoinfra.stacks.update_message import DESTROYED
from dittoinfra.urns import service_adapter

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.decide.observations import Answers
    from dittoinfra.model import Note
    from dittoinfra.program.run import RunRecord
    from dittoinfra.program.run_errors import RunStopped
    from dittoinfra.settings.configuration import Configuration


_DEFAULTS = RunOptions()
Why = Callable[[str], str | None]
"""Why a run changes a resource, by its URN; None where the run had no reason of its own."""

OnEvent = Callable[[auto.EngineEvent, Why], None]


@dataclass
class ProjectStack:
    """A stack whose program runs in this process: no language host, no second interpreter."""

    command: auto.PulumiCommand
    root: Path
    """The project's folder, with `Pulumi.yaml` and `stacks/`."""
    name: str
    environment: Mapping[str, str]
    """For the CLI, and for `api.passwordEnv`."""
    on_output: Callable[[str], None] | None = None
    """Receives what the CLI would print, line by line."""
    on_event: OnEvent | None = None
    """Receives every event of the engine as it happens, and the reasons of the run."""
    on_diagnostic: Callable[[Diagnostic], None] | None = None
    """Receives every message of a run as soon as it is known, each once."""
    create: bool = True
    """Whether a stack that the backend does not know yet is created by its first operation."""
    early: EarlyQuestion | None = None
    """A question about it that was asked before."""
    _stopped: "RunStopped | None" = field(default=None, init=False)
    _decided: "RunRecord | None" = field(default=None, init=False)
    _reasons: Mapping[str, str] = field(default_factory=dict, init=False)
    _given: "Answers | None" = field(default=None, init=False)
    _stops_at_changes: bool = field(default=False, init=False)

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
        self._given, self._stops_at_changes = given, stops_at_changes
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
        self._given, self._stops_at_changes = given, stops_at_changes
        prefetch_program()
        return self._run(self._stack.up, options.for_sdk(Operation.UP))

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

    def remove(self) -> None:
        """Remove the stack, which must be empty, from the backend, and its configuration file with it."""
        self._cli.ask("stack", "rm", self.name, "--yes")

    def break_lock(self) -> None:
        """Release the lock that a dead run has left; that run must not be active any more."""
        url = backend_url(read_project(self.root), self.environment)
        if url is None:
            url = str(json.loads(self._cli.ask("whoami", "--json")).get("url") or "")
        place = files_at(url, self.root, self._project_name, self.name)
        if place is not None:
            repair(place)
        self._cli.ask("cancel", self.name, "--yes")

    def lock_holder(self, url: str) -> LockHolder | None:
        """Who holds the stack on this backend; None where nothing does, or only the CLI can tell."""
        place = files_at(url, self.root, self._project_name, self.name)
        return lock_holder(place) if place is not None else None

    def has_no_pending_operations(self) -> bool:
        """Whether certainly no earlier run was interrupted, as far as that is visible without the CLI."""
        return self._place is not None and has_no_pending_operations(self._place)

    @property
    def _place(self) -> StackFiles | None:
        return stack_files(read_project(self.root), self.root, self.environment, self.name)

    @property
    def _project_name(self) -> str:
        return str(read_project(self.root).get("name") or "")

    def export(self) -> dict[str, Any]:
        """The whole state, its secrets encrypted; from its file, where it is in one."""
        held = stored_deployment(self._place) if self._place is not None else None
        return dict(self.state().get("deployment") or {}) if held is None else held

    def state(self) -> dict[str, Any]:
        """The state as a whole document, with its version, as `replace_state` takes it."""
        document: dict[str, Any] = json.loads(self._cli.ask("stack", "export", "--stack", self.name))
        return document

    def replace_state(self, document: Mapping[str, Any]) -> None:
        """Replace the state; refused while another run holds the stack. Nothing is pending afterwards."""
        self._cli.ask("stack", "import", "--stack", self.name, given=json.dumps(document))

    def history(self, entries: int = 10) -> list[dict[str, Any]]:
        """The latest operations in the backend's history, newest first; from files where it is in some."""
        kept = stored_history(self._place, entries) if self._place is not None else None
        if kept is not None:
            return kept
        page = ("--page-size", str(entries), "--page", "1")
        listed = json.loads(self._cli.ask("stack", "history", "--json", "--stack", self.name, *page))
        return list(listed or [])

    def configuration(self) -> "Configuration":
        """The stack's whole configuration, its secrets decrypted."""
        from dittoinfra.settings.configuration import Configuration

        # The engine would not name the file.
        if wrong := unreadable_config(self.root, self.name):
            raise ConfigFileError(wrong)
        asked = configuration_question(self.name)
        listed: dict[str, dict[str, Any]] = {}
        self._created_if_missing(lambda: listed.update(json.loads(self._cli.ask(*asked))))
        defaults, written = project_defaults(self.root), written_values(self.root, self.name)
        return Configuration(
            self._project_name,
            self.name,
            self.root,
            {key: str(entry.get("value", "")) for key, entry in listed.items()},
            frozenset(key for key, entry in listed.items() if entry.get("secret")),
            frozenset(
                key
                for key, entry in listed.items()
                # An environment of the backend may set values that are in neither file.
                if key not in written and key in defaults and _is_default(entry, defaults[key])
            ),
        )

    def prove_encryption(self) -> None:
        """Encrypt a value as the stack would, and discard it; `CliFailedError` where that fails."""
        with TemporaryDirectory(prefix="dittoinfra-") as folder:
            copy = Path(folder) / "Pulumi.yaml"
            # The file says how the stack's secrets are encrypted; the CLI writes into a copy, which is
            # deleted.
            shutil.copyfile(stack_file(self.root, self.name), copy)
            flags = ("--secret", "--config-file", str(copy), "--stack", self.name)
            self._cli.ask("config", "set", "dittoinfra:proof", *flags, given="proof")

    def set_config(self, key: str, value: str, *, secret: bool = False, path: bool = False) -> None:
        """Set one key of the stack's configuration file; the value never appears in a process list."""
        flags = ["--secret" if secret else "--plaintext", *(["--path"] if path else [])]
        self._created_if_missing(
            lambda: self._cli.ask("config", "set", key, *flags, "--stack", self.name, given=value)
        )

    @cached_property
    def _stack(self) -> auto.Stack:
        patch_sdk()
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=dict(self.environment),
            pulumi_command=self.command,
        )
        return InlineStack(self.name, workspace)

    @property
    def _cli(self) -> CommandLine:
        return CommandLine(self.command, self.root, self.environment, self.early)

    def _program(self) -> None:
        from dittoinfra.program.run import run
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
            raise

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

        exit_code = self._stopped.exit_code if self._stopped is not None else _cli_exit_code(error)
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

    def _created_if_missing(self, operate: Callable[[], object]) -> None:
        """Run the operation, and where there is no such stack yet, create it and run the operation again.

        Trying first saves one start of the CLI for every stack that exists, which nearly all of them do.
        """
        try:
            operate()
        except (auto.CommandError, CliFailedError) as error:
            if not self.create or _cli_exit_code(error) != ExitCode.NO_SUCH_STACK:
                raise
        else:
            return
        self._cli.ask("stack", "init", self.name, "--no-select")
        operate()


def _is_default(entry: Mapping[str, Any], default: object) -> bool:
    """Whether a key's value is its default; the CLI prints numbers and booleans as text."""
    if "objectValue" in entry:
        return bool(entry["objectValue"] == default)
    text = default if isinstance(default, str) else json.dumps(default)
    return bool(entry.get("value") == text)


def _cli_exit_code(error: auto.CommandError | CliFailedError) -> int:
    if isinstance(error, CliFailedError):
        return error.exit_code
    # The SDK exposes the CLI's exit code only in its message.
    code = re.search(r"^\s*code: (\d+)", str(error), re.MULTILINE)
    return int(code[1]) if code else ExitCode.GENERIC


def prefetch_program() -> None:
    """Begin to load everything that a run needs, and return at once.

    A normal import later on waits for this one, or uses what it has loaded.
    """
    threading.Thread(target=_load, name="prefetch-program").start()


def _load() -> None:
    # The code that polls servers first; the provider's modules are not needed before the servers have
    # answered.
    import dittoinfra.program.run  # isort: skip
    import dittoinfra.components  # isort: skip  # noqa: F401 - likewise


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
