"""One stack of this project, run in-process on the real engine."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pulumi import automation as auto
from pulumi.automation._stack import StackInitMode  # not exported, though the constructor asks for it

from dittoinfra.automation.lean import LeanStack
from dittoinfra.automation.recorder import Recorder
from dittoinfra.automation.report import RunReport
from dittoinfra.program import ExitCode, RunStopped, run


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
    _stopped: RunStopped | None = field(default=None, init=False)

    def preview(self) -> RunReport:
        """What `up` would do."""
        return self._record(lambda listen: self._stack.preview(on_event=listen, **self._display))

    def up(self) -> RunReport:
        """Declare, and let the engine make it so."""
        return self._record(lambda listen: self._stack.up(on_event=listen, **self._display))

    def refresh(self) -> RunReport:
        """Take over into the state what the cluster really holds."""
        return self._record(lambda listen: self._stack.refresh(on_event=listen, **self._display))

    def destroy(self) -> RunReport:
        """Delete everything the stack holds."""
        return self._record(lambda listen: self._stack.destroy(on_event=listen, **self._display))

    def export(self) -> dict[str, Any]:
        """The whole state."""
        return dict(self._stack.export_stack().deployment or {})

    def set_config(self, key: str, value: str, *, secret: bool = False, path: bool = False) -> None:
        """Set one key of the stack's configuration file."""
        self._stack.set_config(key, auto.ConfigValue(value, secret=secret), path=path)

    @cached_property
    def _stack(self) -> auto.Stack:
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=dict(self.environment),
            pulumi_command=self.command,
        )
        return LeanStack(self.name, workspace, StackInitMode.CREATE_OR_SELECT)

    @property
    def _display(self) -> dict[str, Any]:
        return {"on_output": self.on_output, "color": "never", "suppress_progress": True}

    def _program(self) -> None:
        try:
            run(self.root, self.environment)
        except RunStopped as stopped:
            self._stopped = stopped
            raise

    def _record(self, operate: Callable[[Callable[[auto.EngineEvent], None]], object]) -> RunReport:
        recorder = Recorder()
        self._stopped = None
        try:
            operate(recorder.listen)
        except auto.CommandError as error:
            return recorder.report(self._exit_code(error))
        return recorder.report(0)

    def _exit_code(self, error: auto.CommandError) -> int:
        if self._stopped is not None:
            return self._stopped.exit_code
        # The SDK keeps the CLI's exit code only in its message.
        code = re.search(r"^\s*code: (\d+)", str(error), re.MULTILINE)
        return int(code[1]) if code else ExitCode.GENERIC
