"""A foreign project in Pulumi YAML on the real engine, with the component package attached."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.settings.provider import NEEDED_IN_PROJECT
from lab.bed.credentials import credential
from lab.bed.keys import PROVIDER, key_service
from lab.simulator import SimulatedDittoFS
from lab.standin import FolderStore, StandInProvider, Store
from tests import ROOT


@contextmanager
def attached_package() -> Iterator[str]:
    """The package as a process of its own: what to export so that an engine attaches to it."""
    command = [sys.executable, str(ROOT / "package" / "__main__.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"dittoinfra:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


def documents(folder: Path) -> dict[str, Any]:
    """Every manifest in a folder, by the name of its file."""
    return {path.name: yaml.safe_load(path.read_text()) for path in sorted(folder.rglob("*.yaml"))}


@dataclass
class YamlProgram:
    """One stack of a project in Pulumi YAML, whose manifests land in a folder."""

    command: PulumiCommand
    root: Path
    environment: Mapping[str, str]

    def write(self, resources: Mapping[str, Any], outputs: Mapping[str, str] | None = None) -> None:
        """The program: its resources, and what it exports."""
        secret = {"type": "string", "secret": True}
        document = {
            "name": "acme-yaml",
            "runtime": "yaml",
            "config": {"password": secret, "jwt": secret, **NEEDED_IN_PROJECT},
            "resources": resources,
            "outputs": outputs or {},
        }
        # JSON is YAML as well, and has no anchors, which Pulumi does not read.
        (self.root / "Pulumi.yaml").write_text(json.dumps(document, indent=2))

    def run(self, *arguments: str, typed: str | None = None) -> "subprocess.CompletedProcess[str]":
        """The CLI with these arguments; `typed` is what it reads."""
        return subprocess.run(
            [self.command.command, "--cwd", str(self.root), *arguments, "--non-interactive"],
            env={**os.environ, **self.environment},
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def must(self, *arguments: str, typed: str | None = None) -> str:
        """The same for what must end well; what it says."""
        done = self.run(*arguments, typed=typed)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def up(self) -> str:
        """An update without a preview."""
        return self.must("up", "--yes", "--skip-preview")

    def settled(self) -> str:
        """A preview that finds nothing to change."""
        return self.must("preview", "--expect-no-changes")

    def outputs(self) -> dict[str, Any]:
        """What the stack exports."""
        return dict(json.loads(self.must("stack", "output", "--json")))

    def resources(self) -> list[dict[str, Any]]:
        """What the state holds."""
        return list(json.loads(self.must("stack", "export"))["deployment"].get("resources", []))

    def manifests(self) -> dict[str, Any]:
        """What the stand-in provider has written."""
        return documents(self.root / "manifests")


@contextmanager
def yaml_program(
    command: PulumiCommand,
    host: Path,
    root: Path,
    password: str,
    *,
    store: Store | None = None,
    installed: Path | None = None,
) -> Iterator[YamlProgram]:
    """A new project with a stack, and `password` in its configuration, as a signing key too.

    `installed` is a folder of commands in which the engine finds the component package.
    """
    with (
        attached_package() if installed is None else nullcontext("") as package,
        StandInProvider(store or FolderStore(root / "manifests")) as provider,
        key_service() as keys,
    ):
        attached = provider.environment()
        providers = ",".join(filter(None, (attached["PULUMI_DEBUG_PROVIDERS"], package)))
        folders = [str(folder) for folder in (host, installed) if folder is not None]
        environment = {
            **attached,
            **keys,
            "PULUMI_BACKEND_URL": f"file://{root}",
            "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DEBUG_PROVIDERS": providers,
            "PATH": os.pathsep.join([*folders, os.environ["PATH"]]),
        }
        program = YamlProgram(command, root, environment)
        program.write({})
        program.must("stack", "init", "dev", "--secrets-provider", PROVIDER)
        if store is None:
            program.must("config", "set", "kubernetes:renderYamlToDirectory", "rendered")
        program.must("config", "set", "--secret", "password", typed=password)
        program.must("config", "set", "--secret", "jwt", typed=password * 4)
        yield program


def api(simulated: SimulatedDittoFS) -> dict[str, str]:
    """How a program in Pulumi YAML says that it asks this server."""
    return {"url": simulated.url, "username": "admin", "deadline": "3s", "requestTimeout": "1s"}


def existing(simulated: SimulatedDittoFS, **others: object) -> dict[str, Any]:
    """A server that exists, as such a program declares it."""
    properties = {"namespace": "files", "api": api(simulated), "password": "${password}", **others}
    return {"type": "dittoinfra:ExistingServer", "properties": properties}
