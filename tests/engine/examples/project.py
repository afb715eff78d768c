"""An example project on the real engine, in a copy of its own."""

import runpy
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pulumi import automation as auto

from dittoinfra.stacks.cli_process import CommandLine
from dittoinfra.stacks.result import RunReport
from lab.bed.credentials import credential
from tests import ROOT
from tests.engine.recorded import Listen, recorded

EXAMPLES = ROOT / "examples"


@dataclass
class Example:
    """Runs the stacks that the example comes with."""

    command: auto.PulumiCommand
    root: Path
    environment: Mapping[str, str]

    @classmethod
    def copied(
        cls, name: str, root: Path, command: auto.PulumiCommand, provider: Mapping[str, str]
    ) -> "Example":
        """A copy: the engine writes into the files of stacks."""
        shutil.copytree(EXAMPLES / name, root / name)
        environment = {
            "PULUMI_BACKEND_URL": f"file://{root}",
            "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            **provider,
        }
        return cls(command, root / name, environment)

    def configure(self, stack: str, changes: Mapping[str, object]) -> None:
        """Change keys of a stack's configuration; None takes one out."""
        path = self.root / f"Pulumi.{stack}.yaml"
        document = yaml.safe_load(path.read_text())
        changed = {**document["config"], **changes}
        document["config"] = {key: value for key, value in changed.items() if value is not None}
        path.write_text(yaml.safe_dump(document, sort_keys=False))

    def encrypt(self, stack: str, key: str, value: str) -> None:
        """Set an encrypted key of a stack's configuration; the SDK would show its value in a process list."""
        self._stack(stack)
        cli = CommandLine(self.command, self.root, self.environment)
        cli.ask("config", "set", key, "--secret", "--stack", stack, given=value)

    def preview(self, stack: str) -> tuple[RunReport, list[dict[str, Any]]]:
        """What `up` would do, and the Kubernetes objects that it would make."""
        objects = []

        def listen(event: auto.EngineEvent) -> None:
            step = event.resource_pre_event.metadata if event.resource_pre_event else None
            if step and step.type.startswith("kubernetes:") and step.new:
                objects.append(dict(step.new.inputs or {}))

        report = recorded(lambda heard: self._stack(stack).preview(on_event=_both(heard, listen)))
        return report, objects

    def up(self, stack: str) -> RunReport:
        """Make it so."""
        return recorded(lambda heard: self._stack(stack).up(on_event=heard))

    def outputs(self, stack: str) -> dict[str, Any]:
        """What the stack exports."""
        return {key: output.value for key, output in self._stack(stack).outputs().items()}

    def _stack(self, name: str) -> auto.Stack:
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=dict(self.environment),
            pulumi_command=self.command,
        )
        return auto.Stack.create_or_select(name, workspace)

    def _program(self) -> None:
        runpy.run_path(str(self.root / "__main__.py"), run_name="__main__")


def _both(*listeners: Listen) -> Listen:
    def tell(event: auto.EngineEvent) -> None:
        for listener in listeners:
            listener(event)

    return tell
