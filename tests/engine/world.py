"""A test environment: one stack on the real engine, with a stand-in provider and simulated servers."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.kubernetes import connect
from dittoinfra.stacks.cli_process import CommandLine
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.result import RunReport
from lab.bed.credentials import credential
from lab.bed.keys import PROVIDER, key_service
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore, FailOn, FolderStore, StandInProvider, Store
from tests import ROOT

CREDENTIALS = {
    "jwt": {"secret": "media-jwt-secret", "key": "jwt-secret"},
    "adminPassword": {"secret": "media-admin-bootstrap-credentials", "key": "password"},
}
"""Secrets of a deployed server that exist already."""

PASSWORD_ENV = "DITTOFS_PASSWORD"
STACK = "world"


@dataclass
class World:
    """Runs the stack `world` with the configuration that a test writes."""

    command: PulumiCommand
    root: Path
    provider_environment: Mapping[str, str]
    password: str = field(repr=False)
    provider_settings: Mapping[str, object] = field(default_factory=dict)
    """What the `kubernetes:` namespace says: where the provider, and so the program, finds the cluster."""
    passphrase: str = field(default_factory=lambda: credential("passphrase"), repr=False)

    @property
    def manifests(self) -> Path:
        """The manifests that the stand-in provider has written."""
        return self.root / "manifests" / STACK

    @cached_property
    def stack(self) -> ProjectStack:
        """The stack under test, with a clean environment."""
        environment = {
            "PULUMI_BACKEND_URL": f"file://{self.root}",
            "PULUMI_CONFIG_PASSPHRASE": self.passphrase,
            "PULUMI_HOME": str(self.root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            PASSWORD_ENV: self.password,
            **self.provider_environment,
        }
        return ProjectStack(self.command, self.root, STACK, environment)

    def give_password(self, password: str) -> None:
        """Use another password in later runs."""
        self.password = password
        vars(self).pop("stack", None)

    def configure(self, *servers: Mapping[str, Any], **settings: object) -> None:
        """Write the stack's configuration."""
        config = {"servers": list(servers), **settings}
        ours = {f"dittoinfra:{key}": value for key, value in config.items()}
        theirs = {f"kubernetes:{key}": value for key, value in self.provider_settings.items()}
        document = {"config": ours | theirs}
        path = self.root / "stacks" / f"Pulumi.{STACK}.yaml"
        kept = _encryption(path)
        path.write_text(yaml.safe_dump(kept | document))

    def up(self) -> RunReport:
        """An update that must succeed."""
        report = self.stack.up()
        assert report.ok, report.lines("error")
        return report

    def preview(self) -> RunReport:
        """A preview that must succeed."""
        report = self.stack.preview()
        assert report.ok, report.lines("error")
        return report

    def services(self) -> dict[str, dict[str, Any]]:
        """The Services by name."""
        return {
            document["metadata"]["name"]: document
            for document in map(_load, sorted(self.manifests.rglob("service-*.yaml")))
        }

    def port(self, service: str) -> int:
        """The target port of a Service's data port."""
        return int(self.services()[service]["spec"]["ports"][0]["targetPort"])

    def run_changes(self) -> Changes:
        """The changes of an update; its preview must match, and a second preview must find none."""
        foretold = self.preview().changes
        done = self.up().changes
        assert done == foretold, "the preview did not tell the truth"
        return done

    def assert_settled(self) -> None:
        """Another run changes nothing."""
        report = self.preview()
        assert not report.changes.any, report.steps


def server(
    simulated: SimulatedDittoFS,
    name: str = "media",
    api: Mapping[str, object] | None = None,
    **settings: object,
) -> dict[str, Any]:
    """The settings of an existing server whose API is this simulator."""
    reached = {
        "url": simulated.url,
        "username": "admin",
        "passwordEnv": PASSWORD_ENV,
        "deadline": "3s",
        "requestTimeout": "1s",
    }
    return {"name": name, "namespace": "files", **settings, "api": {**reached, **(api or {})}}


@contextmanager
def simulated_server(password: str) -> Iterator[SimulatedDittoFS]:
    """A simulated server with this administrator's password, nfs on 12049 and smb on 12445, both running."""
    with SimulatedDittoFS(admin_password=password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated


@contextmanager
def world(
    command: PulumiCommand,
    root: Path,
    *,
    fail_on: FailOn | None = None,
    store: Store | None = None,
    kubeconfig: Path | None = None,
) -> Iterator[World]:
    """A new environment; the stand-in provider writes manifests to a folder unless a store is given."""
    settings = {"kubeconfig": str(kubeconfig)} if kubeconfig else {"renderYamlToDirectory": "rendered"}
    write_new_stack(command, root)
    with (
        StandInProvider(store or FolderStore(root / "manifests"), fail_on=fail_on) as provider,
        key_service() as keys,
    ):
        yield World(command, root, {**provider.environment(), **keys}, credential("stack"), settings)


@contextmanager
def world_on(
    api: KubernetesApi, command: PulumiCommand, root: Path, kubeconfig: Path | None = None
) -> Iterator[World]:
    """A new environment whose objects are created in a real Kubernetes API.

    With `kubeconfig` the program asks a cluster by it, and finds none otherwise.
    """
    with (
        connect(str(api.kubeconfig), None) as cluster,
        world(command, root, store=ApiStore(cluster), kubeconfig=kubeconfig) as fresh,
    ):
        yield fresh


def write_new_stack(command: PulumiCommand, root: Path) -> None:
    """Create a project with an empty stack in this folder; its encryption uses a `key_service`."""
    for name, content in _new_stack(command).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


@cache
def _new_stack(command: PulumiCommand) -> Mapping[str, bytes]:
    """The files of a new stack, cached: writing them is faster than creating a stack."""
    with TemporaryDirectory() as folder, key_service() as keys:
        root = Path(folder)
        (root / "stacks").mkdir()
        shutil.copy(ROOT / "Pulumi.yaml", root)
        environment = {
            **keys,
            "PULUMI_BACKEND_URL": f"file://{root}",
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
        }
        CommandLine(command, root, environment).ask("stack", "init", STACK, "--secrets-provider", PROVIDER)
        shutil.rmtree(root / "home", ignore_errors=True)
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def _load(path: Path) -> dict[str, Any]:
    document = yaml.safe_load(path.read_text())
    assert isinstance(document, dict)
    return document


def _encryption(path: Path) -> dict[str, Any]:
    # The engine writes its salt into the stack's file; it must stay with the state it belongs to.
    before = _load(path) if path.exists() else {}
    return {key: value for key, value in before.items() if key != "config"}
