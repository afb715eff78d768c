"""One stack on the real engine, with a program that tests can replace between runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi import automation as auto
from pulumi.automation import events

# Loaded before any program runs: the SDK's lazy imports race when two programs run at once.
from pulumi_kubernetes.core.v1 import Service, ServicePortArgs, ServiceSpecArgs
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from dittoinfra.stacks.cli_process import CommandLine
from lab.bed.credentials import credential

Program = Callable[[], object]

UNCHANGED = {"same": 2}
"""A preview of one resource with nothing to do: the stack itself and the resource."""

NFS = {"name": "nfs", "port": 2049, "target_port": 12049, "protocol": "TCP"}


@dataclass
class Bench:
    """One stack in a local backend, attached to whatever provider the environment names."""

    command: auto.PulumiCommand
    directory: Path
    environment: dict[str, str]
    stack_name: str = "dev"
    config: dict[str, str] = field(default_factory=dict)
    passphrase: str = field(default_factory=lambda: credential("passphrase"), repr=False)

    def preview(self, program: Program) -> dict[str, int]:
        """What the engine says it would do, by number of resources."""
        return _counts(self._running(program).preview().change_summary)

    def changed_paths(self, program: Program) -> dict[str, list[str]]:
        """Property paths a preview would change, by resource name, as the engine reports them."""
        paths: dict[str, list[str]] = {}

        def note(event: events.EngineEvent) -> None:
            if event.resource_pre_event is None:
                return
            step = event.resource_pre_event.metadata
            if step.detailed_diff:
                paths[step.urn.rpartition("::")[2]] = sorted(step.detailed_diff)

        self._running(program).preview(on_event=note)
        return paths

    def up(self, program: Program) -> dict[str, int]:
        """What the engine did, by number of resources."""
        return _counts(self._running(program).up().summary.resource_changes)

    def failure(self, program: Program) -> str:
        """What the engine says about an update that fails."""
        with pytest.raises(auto.CommandError) as caught:
            self.up(program)
        return str(caught.value)

    def refresh(self) -> dict[str, int]:
        """What the engine found changed."""
        return _counts(self._stack.refresh().summary.resource_changes)

    def destroy(self) -> dict[str, int]:
        """What the engine deleted."""
        return _counts(self._stack.destroy().summary.resource_changes)

    def state(self) -> str:
        """The whole state as it is stored, secrets encrypted."""
        return (self.directory / "backend/.pulumi/stacks/bench" / f"{self.stack_name}.json").read_text()

    def _running(self, program: Program) -> auto.Stack:
        self._stack.workspace.program = lambda: _nothing(program())
        return self._stack

    @property
    def _backend(self) -> Path:
        return self.directory / "backend"

    @property
    def _surroundings(self) -> dict[str, str]:
        return {
            "PULUMI_BACKEND_URL": self._backend.as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": self.passphrase,
            "PULUMI_HOME": str(self.directory / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            **self.environment,
        }

    @cached_property
    def _stack(self) -> auto.Stack:
        self._backend.mkdir(parents=True, exist_ok=True)
        stack = auto.create_stack(
            stack_name=self.stack_name,
            project_name="bench",
            program=lambda: None,
            opts=auto.LocalWorkspaceOptions(
                pulumi_command=self.command,
                pulumi_home=str(self.directory / "home"),
                env_vars=self._surroundings,
            ),
        )
        # Not the SDK's own way, which shows every value in the list of processes.
        cli = CommandLine(self.command, Path(stack.workspace.work_dir), self._surroundings)
        for key, value in self.config.items():
            kind = "--secret" if key.endswith(":kubeconfig") else "--plaintext"
            cli.ask("config", "set", key, kind, "--stack", self.stack_name, given=value)
        return stack


def service(
    name: str = "web",
    *,
    namespace: str | None = None,
    annotations: Mapping[str, pulumi.Input[str]] | None = None,
    ports: list[dict[str, Any]] | None = None,
    spec: Mapping[str, Any] | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> Service:
    """Declare a Service as the project declares its own."""
    return Service(
        name,
        metadata=ObjectMetaArgs(
            name=name, namespace=namespace, annotations=annotations, labels={"app.kubernetes.io/name": name}
        ),
        spec=ServiceSpecArgs(ports=[ServicePortArgs(**port) for port in ports or [NFS]], **(spec or {})),
        opts=opts,
    )


def _counts(summary: Mapping[auto.OpType, int] | None) -> dict[str, int]:
    return {auto.OpType(operation).value: count for operation, count in (summary or {}).items()}


def _nothing(_: object) -> None:
    """Drop what a program returns: the engine would take it for outputs."""
