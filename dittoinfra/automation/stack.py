"""One stack of this project, run in-process on the real engine."""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pulumi import automation as auto

from dittoinfra.automation.ahead import Ahead
from dittoinfra.automation.channels import keep_channels_apart
from dittoinfra.automation.cli import CliFailedError, CommandLine
from dittoinfra.automation.file_backend import backend_url, has_no_marks, mend
from dittoinfra.automation.hushed import hush_debug_messages
from dittoinfra.automation.lean import LeanStack
from dittoinfra.automation.locks import is_gone
from dittoinfra.automation.options import RunOptions
from dittoinfra.automation.processes import InterruptedRunError, InterruptibleCommand
from dittoinfra.automation.recorder import Recorder
from dittoinfra.automation.report import NOTHING_DONE, Diagnostic, RunReport
from dittoinfra.automation.trouble import killed, trouble
from dittoinfra.exitcodes import ExitCode
from dittoinfra.projectfile import project_defaults, read_project, stack_file, written_values

if TYPE_CHECKING:  # whatever is imported here is waited for before the CLI starts
    from dittoinfra.automation.configuration import Configuration
    from dittoinfra.memory import Memory
    from dittoinfra.program import Inquiry, Rehearsed, RunRecord, RunStopped

_AS_IT_COMES = RunOptions()
OnEvent = Callable[[auto.EngineEvent], None]


@dataclass
class ProjectStack:
    """A stack whose program runs in this process: no language host, no second interpreter."""

    command: auto.PulumiCommand
    root: Path
    """The project's folder, with `Pulumi.yaml` and `stacks/`."""
    name: str
    environment: Mapping[str, str]
    """Of the CLI, and of `api.passwordEnv`."""
    on_output: Callable[[str], None] | None = None
    """Takes what the CLI would print, line by line."""
    on_event: OnEvent | None = None
    """Hears every event of the engine as it happens."""
    on_diagnostic: Callable[[Diagnostic], None] | None = None
    """Hears every message of a run as soon as it is known, each once."""
    create: bool = True
    """Whether a stack that the backend does not know yet is created by its first operation."""
    inquiry: "Inquiry | None" = None
    """Whom the program asks: the world itself, unless told otherwise."""
    overhear: "Callable[[Inquiry], Inquiry] | None" = None
    """Gives somebody who stands between the program and whomever it asks."""
    on_decided: "Callable[[RunRecord], None] | None" = None
    """Hears what the program decided before it declares anything, and may stop it by raising `RunStopped`."""
    on_rehearsed: "Callable[[Rehearsed], None] | None" = None
    """Hears what the program would declare, instead of the engine; a run with it ends there."""
    recall: "Callable[[Memory], Memory] | None" = None
    """Says what was declared last, where that is not what the state holds."""
    _stopped: "RunStopped | None" = field(default=None, init=False)
    _decided: "RunRecord | None" = field(default=None, init=False)
    _ahead: Ahead | None = field(default=None, init=False)

    def preview(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """What `up` would do."""
        return self._run(options, lambda shown: self._stack.preview(**options.of_program(), **shown))

    def up(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """Declare, and let the engine make it so."""
        return self._run(options, lambda shown: self._stack.up(**options.of_program(), **shown))

    def refresh(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """Take over into the state what the cluster really holds."""
        return self._record(options, lambda shown: self._stack.refresh(**options.of_refresh(), **shown))

    def preview_refresh(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """What `refresh` would take over."""
        return self._record(
            options, lambda shown: self._stack.preview_refresh(**options.of_refresh(), **shown)
        )

    def destroy(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """Delete everything the stack holds."""
        return self._record(options, lambda shown: self._stack.destroy(**options.of_destroy(), **shown))

    def preview_destroy(self, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """What `destroy` would delete."""
        return self._record(
            options, lambda shown: self._stack.preview_destroy(**options.of_destroy(), **shown)
        )

    def recover(self) -> RunReport:
        """Before an operation: let the state know what became of what an interrupted run had begun."""
        if self.has_no_marks():
            return NOTHING_DONE
        from dittoinfra.automation.recovery import recover

        return recover(self)

    def unfinished(self) -> RunReport:
        """What `recover` would have to see to."""
        if self.has_no_marks():
            return NOTHING_DONE
        from dittoinfra.automation.recovery import unfinished

        return unfinished(self)

    def settle(self, updated: RunReport, options: RunOptions = _AS_IT_COMES) -> RunReport:
        """An update's report, once the state knows what is left to know when it has ended.

        Marks of an interrupted run that `recover` could not look at go once the update has made sure of
        everything that is marked. What a provider had made when it was gone, the state learns now or never.
        """
        if updated.lost:
            from dittoinfra.automation.recovery import write_down_lost

            return write_down_lost(self, updated)
        if not updated.ok or not updated.pending:
            return updated
        if options.targets:
            # The engine also tells the end of those that it was told not to touch.
            missed, then = updated.pending, f"`dittoinfra up {self.name}` without --target makes sure of it"
        else:
            missed, then = updated.missed, f"look for it, then run `pulumi refresh --stack {self.name}`"
        if not missed:
            self._take_marks_away(updated.pending)
            return updated
        names = ", ".join(urn.rpartition("::")[2] for urn in missed)
        kept = Diagnostic("warning", f"{names}: this run did not make sure of it, so its mark stays; {then}")
        if self.on_diagnostic is not None:
            self.on_diagnostic(kept)
        return updated.saying(kept)

    def _take_marks_away(self, pending: Sequence[str]) -> None:
        # Only a refresh does it, so the one resource that needs no looking at is refreshed: the stack itself.
        _, stack, project, _ = re.split("::|urn:pulumi:", pending[0], maxsplit=3)
        itself = f"urn:pulumi:{stack}::{project}::pulumi:pulumi:Stack::{project}-{stack}"
        options = RunOptions(targets=(itself,))
        self._record(options, lambda shown: self._stack.refresh(clear_pending_creates=True, **shown))

    def remove(self) -> None:
        """Take the stack, which must be empty, from the backend, and its configuration file with it."""
        self._cli.ask("stack", "rm", self.name, "--yes")

    def break_lock(self) -> None:
        """Release the lock that a dead run has left; what it guards must not be running any more."""
        project = read_project(self.root)
        url = backend_url(project, self.environment) or self._backend()
        mend(url, self.root, str(project.get("name") or ""), self.name)
        self._cli.ask("cancel", self.name, "--yes")

    def has_no_marks(self) -> bool:
        """Whether no earlier run was interrupted for sure, as far as that is seen without the CLI."""
        project = read_project(self.root)
        url = backend_url(project, self.environment)
        return url is not None and has_no_marks(url, self.root, str(project.get("name") or ""), self.name)

    def _backend(self) -> str:
        return str(json.loads(self._cli.ask("whoami", "--json")).get("url") or "")

    def export(self) -> dict[str, Any]:
        """The whole state, its secrets encrypted."""
        return dict(self.state().get("deployment") or {})

    def state(self) -> dict[str, Any]:
        """The same as a whole document, with its version, as `replace_state` takes it."""
        document: dict[str, Any] = json.loads(self._cli.ask("stack", "export", "--stack", self.name))
        return document

    def replace_state(self, document: Mapping[str, Any]) -> None:
        """Let the state be this one; refused while somebody holds the stack. No mark survives it."""
        self._cli.ask("stack", "import", "--stack", self.name, given=json.dumps(document))

    def history(self, entries: int = 10) -> list[dict[str, Any]]:
        """The latest operations that the backend remembers, newest first."""
        page = ("--page-size", str(entries), "--page", "1")
        return list(
            json.loads(self._cli.ask("stack", "history", "--json", "--stack", self.name, *page)) or []
        )

    def configuration(self) -> "Configuration":
        """The stack's whole configuration, its secrets decrypted."""
        from dittoinfra.automation.configuration import Configuration

        asked = ("config", "--json", "--show-secrets", "--stack", self.name)
        listed: dict[str, dict[str, Any]] = {}
        self._created_if_missing(lambda: listed.update(json.loads(self._cli.ask(*asked))))
        defaults, written = project_defaults(self.root), written_values(self.root, self.name)
        return Configuration(
            {key: str(entry.get("value", "")) for key, entry in listed.items()},
            frozenset(key for key, entry in listed.items() if entry.get("secret")),
            frozenset(
                key
                for key, entry in listed.items()
                # An environment of the backend may say what neither file does.
                if key not in written and key in defaults and _means(entry, defaults[key])
            ),
        )

    def prove_encryption(self) -> None:
        """Encrypt something as the stack would, and keep nothing of it; `CliFailedError` where that fails."""
        with TemporaryDirectory(prefix="dittoinfra-") as folder:
            copy = Path(folder) / "Pulumi.yaml"
            # It says how the stack's secrets are encrypted; the CLI writes into the copy, and it goes.
            shutil.copyfile(stack_file(self.root, self.name), copy)
            flags = ("--secret", "--config-file", str(copy), "--stack", self.name)
            self._cli.ask("config", "set", "dittoinfra:proof", *flags, given="proof")

    def set_config(self, key: str, value: str, *, secret: bool = False, path: bool = False) -> None:
        """Set one key of the stack's configuration file; the value never stands in a process list."""
        flags = ["--secret" if secret else "--plaintext", *(["--path"] if path else [])]
        self._created_if_missing(
            lambda: self._cli.ask("config", "set", key, *flags, "--stack", self.name, given=value)
        )

    @cached_property
    def _stack(self) -> auto.Stack:
        hush_debug_messages()
        keep_channels_apart()
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=dict(self.environment),
            pulumi_command=self.command,
        )
        return LeanStack(self.name, workspace)

    @property
    def _cli(self) -> CommandLine:
        return CommandLine(self.command, self.root, self.environment)

    def _program(self) -> None:
        assert self._ahead is not None  # noqa: S101 - only operations that run the program come here
        inquiry = self._ahead.inquiry()
        from dittoinfra.program import RunStopped, run

        try:
            run(
                self.root,
                self.environment,
                self.overhear(inquiry) if self.overhear is not None else inquiry,
                self._hear,
                self.on_rehearsed,
                self.recall or _as_it_is,
            )
        except RunStopped as stopped:
            self._stopped = stopped
            raise

    def _hear(self, decided: "RunRecord") -> None:
        self._decided = decided
        if self.on_decided is not None:
            self.on_decided(decided)

    def _run(self, options: RunOptions, operate: Callable[[dict[str, Any]], object]) -> RunReport:
        """An operation that runs the program."""
        with Ahead(self.root, self.name, self.environment, self.inquiry) as self._ahead:
            return self._record(options, operate)

    def _record(self, options: RunOptions, operate: Callable[[dict[str, Any]], object]) -> RunReport:
        recorder = Recorder(self.on_diagnostic or (lambda _: None))
        self._stopped = self._decided = None

        def listen(event: auto.EngineEvent) -> None:
            recorder.listen(event)
            if self.on_event is not None:
                self.on_event(event)

        shown = {
            **options.of_every_operation(),
            "on_event": listen,
            "on_output": self.on_output,
            "suppress_progress": True,
        }
        try:
            self._created_if_missing(lambda: operate(shown))
        except InterruptedRunError:
            return recorder.report(ExitCode.CANCELLED, None, "cancelled before it began")
        except auto.CommandError as error:
            return self._failed(recorder, error)
        except CliFailedError as error:
            return recorder.report(error.exit_code, None, str(error))
        return recorder.report(0, self._decided)

    def _failed(self, recorder: Recorder, error: auto.CommandError) -> RunReport:
        exit_code = self._exit_code(error)
        if isinstance(self.command, InterruptibleCommand) and self.command.interrupted:
            return recorder.report(ExitCode.CANCELLED, self._decided)
        found = killed(str(error))
        if found is None and recorder.failed:
            return recorder.report(exit_code, self._decided)
        found = found or trouble(self.name, str(error), exit_code, is_gone)
        if found is None:
            return recorder.report(exit_code, self._decided)
        report = recorder.report(found.exit_code, self._decided, found.line)
        return replace(report, stale_lock=found.stale_lock)

    def _created_if_missing(self, operate: Callable[[], object]) -> None:
        """Operate, and where there is no such stack yet, create it and operate again.

        To try first is one start of the CLI less for every stack that exists, which nearly all of them do.
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

    def _exit_code(self, error: auto.CommandError) -> int:
        return self._stopped.exit_code if self._stopped is not None else _cli_exit_code(error)


def _means(entry: Mapping[str, Any], default: object) -> bool:
    """Whether a key's value is its default; the CLI prints numbers and booleans as text."""
    if "objectValue" in entry:
        return bool(entry["objectValue"] == default)
    text = default if isinstance(default, str) else json.dumps(default)
    return bool(entry.get("value") == text)


def _as_it_is(memory: "Memory") -> "Memory":
    return memory


def _cli_exit_code(error: auto.CommandError | CliFailedError) -> int:
    if isinstance(error, CliFailedError):
        return error.exit_code
    # The SDK keeps the CLI's exit code only in its message.
    code = re.search(r"^\s*code: (\d+)", str(error), re.MULTILINE)
    return int(code[1]) if code else ExitCode.GENERIC
