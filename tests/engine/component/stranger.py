"""A foreign Pulumi project on the real engine, with a program of the test's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pulumi
import pulumi_kubernetes as kubernetes
import yaml
from pulumi import automation as auto

from dittoinfra import DeployedServer, ExistingServer, ExistingServerArgs
from dittoinfra.stacks.result import RunReport
from lab.bed.credentials import credential
from lab.bed.keys import PROVIDER
from lab.simulator import SimulatedDittoFS
from tests.engine.recorded import recorded

STACK = "dev"


@dataclass
class Stranger:
    """Runs one stack of a project that is not ours."""

    command: auto.PulumiCommand
    root: Path
    environment: Mapping[str, str]
    program: Callable[[], None] = lambda: None
    config: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def made(
        cls,
        command: auto.PulumiCommand,
        root: Path,
        provider: Mapping[str, str],
        config: Mapping[str, object],
        project: str = "acme-platform",
    ) -> "Stranger":
        """A new project; `config` is what its stack says."""
        (root / "Pulumi.yaml").write_text(yaml.safe_dump({"name": project, "runtime": "python"}))
        environment = {
            "PULUMI_BACKEND_URL": f"file://{root}",
            "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            **provider,
        }
        return cls(command, root, environment, config=config)

    def preview(self) -> RunReport:
        """What an update would do."""
        return recorded(lambda heard: self._stack().preview(on_event=heard))

    def up(self) -> RunReport:
        """An update, after a preview, as a person runs it."""
        return recorded(lambda heard: self._stack().up(on_event=heard))

    def done(self) -> RunReport:
        """An update that must come to its end, followed by a preview that finds nothing to change."""
        report = self.up()
        assert report.ok, report.lines("error")
        settled = self.preview()
        assert settled.ok, settled.lines("error")
        assert not settled.changes.any, settled.steps
        return report

    def destroy(self) -> RunReport:
        """The end of the stack."""
        return recorded(lambda heard: self._stack().destroy(on_event=heard))

    def outputs(self) -> dict[str, Any]:
        """What the stack exports."""
        return {key: output.value for key, output in self._stack().outputs().items()}

    def state(self) -> dict[str, Any]:
        """The whole state, as the engine exports it."""
        return dict(self._stack().export_stack().deployment or {})

    def services(self) -> dict[str, dict[str, Any]]:
        """Every Service that the stand-in provider has written, by name."""
        found = map(
            yaml.safe_load, (p.read_text() for p in (self.root / "manifests").rglob("service-*.yaml"))
        )
        return {document["metadata"]["name"]: document for document in found}

    def _stack(self) -> auto.Stack:
        path = self.root / f"Pulumi.{STACK}.yaml"
        kept = yaml.safe_load(path.read_text()) if path.exists() else {}
        path.write_text(yaml.safe_dump({**kept, "config": dict(self.config)}))
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self.program,
            env_vars=dict(self.environment),
            pulumi_command=self.command,
            secrets_provider=PROVIDER,
        )
        return auto.Stack.create_or_select(STACK, workspace)


def inputs(simulated: SimulatedDittoFS, password: pulumi.Input[str], **others: object) -> ExistingServerArgs:
    """The inputs of a component whose server is this simulator, and others as a test spells them."""
    api = {"url": simulated.url, "username": "admin", "deadline": "3s", "request_timeout": "1s"}
    given = {"namespace": "files", "api": api, "password": password, **others}
    return cast("ExistingServerArgs", given)


def password_of(secret: kubernetes.core.v1.Secret, password: str) -> pulumi.Output[str]:
    """A password that is known when a resource of the program has been created, and not before."""
    return pulumi.Output.secret(secret.id.apply(lambda _: password))


def exported(name: str, server: ExistingServer | DeployedServer) -> None:
    """Export what a component tells of its adapters."""
    pulumi.export(name, server.adapters.apply(lambda found: {t: found[t]["state"] for t in found}))
