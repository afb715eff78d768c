"""One stack as its files and its backend hold it, read and written without an engine, and without the SDK."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from dittoinfra.exitcodes import ExitCode
from dittoinfra.projectfile import (
    project_defaults,
    read_project,
    stack_file,
    unreadable_config,
    written_values,
)
from dittoinfra.stacks.cli_process import CliFailedError, CommandLine, ConfigFileError, PulumiCli
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

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.settings.configuration import Configuration


@dataclass
class BackendStack:
    """A stack of a project: its configuration, its state, its history and its lock."""

    command: PulumiCli
    root: Path
    """The project's folder, with `Pulumi.yaml` and `stacks/`."""
    name: str
    environment: Mapping[str, str]
    """For the CLI, and for `api.passwordEnv`."""
    create: bool = True
    """Whether a stack that the backend does not know yet is created by its first operation."""
    early: EarlyQuestion | None = None
    """A question about it that was asked before."""

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

    @property
    def _cli(self) -> CommandLine:
        return CommandLine(self.command, self.root, self.environment, self.early)

    def _created_if_missing(self, operate: Callable[[], object]) -> None:
        """Run the operation, and where there is no such stack yet, create it and run the operation again.

        Trying first saves one start of the CLI for every stack that exists, which nearly all of them do.
        """
        try:
            operate()
        except Exception as error:
            if not self.create or self._exit_code(error) != ExitCode.NO_SUCH_STACK:
                raise
        else:
            return
        self._cli.ask("stack", "init", self.name, "--no-select")
        operate()

    def _exit_code(self, error: Exception) -> int | None:
        """The exit code of the CLI that an error tells, if any."""
        return error.exit_code if isinstance(error, CliFailedError) else None


def _is_default(entry: Mapping[str, Any], default: object) -> bool:
    """Whether a key's value is its default; the CLI prints numbers and booleans as text."""
    if "objectValue" in entry:
        return bool(entry["objectValue"] == default)
    text = default if isinstance(default, str) else json.dumps(default)
    return bool(entry.get("value") == text)
