"""A project with several stacks on a file backend, and the command run on it.

The stand-in provider and the simulated servers live in the test's process, so that a test can make them fail;
the command runs in a process of its own.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.stacks.project_stack import ProjectStack
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import V0_29, ServerVersion
from lab.standin import FailOn, FolderStore, StandInProvider, Store
from tests import ROOT
from tests.engine.world import PASSWORD_ENV

PASSWORD = credential("password")
PASSPHRASE = credential("passphrase")
TIMEOUT = 240.0
"""Seconds for one command; a machine under load is slow, and none may hang."""

PROGRAM = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"


@dataclass
class Fleet:
    """The project folder, its servers, and the command."""

    root: Path
    provider: StandInProvider
    command: PulumiCommand
    """The pulumi CLI."""
    _life: ExitStack
    backend: str | None = None
    """Where the state is; a folder of the project unless told otherwise."""
    versions: Iterator[ServerVersion] = field(default_factory=lambda: repeat(V0_29))
    """Of the servers, in the order in which they are first asked for."""
    _servers: dict[str, SimulatedDittoFS] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """What the command runs in: nothing of the caller's Pulumi settings, and no colours."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PULUMI_", "DITTOINFRA_"))}
        return {
            **inherited,
            "PYTHONPATH": str(ROOT),
            "PULUMI_BACKEND_URL": self.backend or self.root.joinpath("state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_HOME": str(self.root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            PASSWORD_ENV: PASSWORD,
            **self.provider.environment(),
        }

    def server(self, stack: str) -> SimulatedDittoFS:
        """The simulated server of a stack, with nfs on 12049 running; started when first asked for."""
        if stack not in self._servers:
            server = self._life.enter_context(
                SimulatedDittoFS(admin_password=PASSWORD, version=next(self.versions))
            )
            server.disable("smb")
            self._servers[stack] = server
        return self._servers[stack]

    def add_stack(self, name: str, *servers: Mapping[str, Any], **settings: object) -> None:
        """Write a stack's configuration: by default one existing server, the stack's own simulated one."""
        blocks = list(servers) or [self.block(name)]
        config = {"dittoinfra:servers": blocks} | {f"dittoinfra:{k}": v for k, v in settings.items()}
        path = self.config_file(name)
        before = yaml.safe_load(path.read_text()) if path.exists() else {}
        # The engine writes its salt into the file; it must stay with the state it belongs to.
        kept = {key: value for key, value in before.items() if key != "config"}
        path.write_text(yaml.safe_dump({**kept, "config": config}))

    def add_stacks(self, *names: str) -> None:
        """Several at once, each with a server of its own."""
        for name in names:
            self.add_stack(name)

    def render(self, *stacks: str) -> None:
        """Let stacks say that their provider writes manifests: there is no cluster to look at."""
        for stack in stacks:
            self.set_values(stack, {"kubernetes:renderYamlToDirectory": "rendered"})

    def set_values(self, stack: str, values: Mapping[str, Any]) -> None:
        """Write values into a stack's configuration that is there already, beside the others."""
        path = self.config_file(stack)
        content = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump({**content, "config": {**content["config"], **values}}))

    def block(self, stack: str, **settings: object) -> dict[str, Any]:
        """The block of an existing server `media` whose API is the stack's simulated one."""
        api = {
            "url": self.server(stack).url,
            "username": "admin",
            "passwordEnv": PASSWORD_ENV,
            "deadline": "3s",
            "requestTimeout": "1s",
        }
        return {"name": "media", "namespace": "files", "api": api, **settings}

    def stack(self, name: str) -> ProjectStack:
        """A stack, run in this process."""
        return ProjectStack(self.command, self.root, name, self.environment)

    def config_file(self, stack: str) -> Path:
        """A stack's configuration."""
        return self.root / "stacks" / f"Pulumi.{stack}.yaml"

    def services(self, stack: str) -> dict[str, dict[str, Any]]:
        """Every Service of a stack that the stand-in provider holds, by name."""
        found = sorted((self.root / "manifests" / stack).rglob("service-*.yaml"))
        documents = [yaml.safe_load(path.read_text()) for path in found]
        return {document["metadata"]["name"]: document for document in documents}

    def run(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        without: Collection[str] = (),
        given: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command in the project and wait for its end; its input is `given`, and no terminal."""
        variables = {**self.environment, **(environment or {})}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=self.root,
            env={name: value for name, value in variables.items() if name not in without},
            input=given or "",
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def pulumi(self, *arguments: str, given: str | None = None) -> "subprocess.CompletedProcess[str]":
        """Run the pulumi CLI itself in the project; what is `given` stands in no process list."""
        return subprocess.run(
            [self.command.command, *arguments, "--non-interactive"],
            cwd=self.root,
            env=self.environment,
            input=given or "",
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        """Start the command in a session of its own, for a test that interrupts it."""
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=self.root,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


def read_until(process: "subprocess.Popen[str]", words: str) -> None:
    """Read a started command's standard error up to a line with these words."""
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            return
    raise AssertionError(f"the command ended without {words!r}: {lines}")


@contextmanager
def fleet(
    root: Path, cli: PulumiCommand, *, fail_on: FailOn | None = None, store: Store | None = None
) -> Iterator[Fleet]:
    """A project without stacks yet, whose provider writes manifests unless told where to apply them."""
    for folder in ("stacks", "state"):
        (root / folder).mkdir()
    shutil.copy(ROOT / "Pulumi.yaml", root)
    with (
        StandInProvider(store or FolderStore(root / "manifests"), fail_on=fail_on) as provider,
        ExitStack() as life,
    ):
        yield Fleet(root, provider, cli, life)
