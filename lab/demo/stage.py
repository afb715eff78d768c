"""The environment of the demo: one folder, a simulated server and the stand-in provider."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from dittoinfra.stacks.cli_process import PulumiCli
from dittoinfra.stacks.project_stack import ProjectStack
from lab.simulator import SimulatedDittoFS
from lab.standin import FolderStore, StandInProvider

STACK = "demo"
SERVER = "media"
USERNAME = "dittoinfra"
PASSWORD_ENV = "DITTOINFRA_DEMO_PASSWORD"  # noqa: S105 - the variable's name, not what is in it

_MARKER = ".dittoinfra-demo"
_PROJECT = {"name": "dittoinfra", "runtime": "python", "stackConfigDir": "stacks"}


class FolderTakenError(Exception):
    """The folder contains files that the demo did not create."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the scenes run on."""

    folder: Path
    dittofs: SimulatedDittoFS
    stack: ProjectStack
    printed: list[str]
    """What the engine has printed since it was last emptied."""

    def keep_manifests(self, name: str) -> Path:
        """Copy the current manifests for users to read."""
        kept = self.folder / "manifests" / name
        shutil.copytree(self.folder / ".live" / STACK, kept)
        return kept


@contextmanager
def stage(folder: Path, command: PulumiCli) -> Iterator[Stage]:
    """Create the environment in a folder that is empty, missing, or was created by the demo."""
    _clear(folder)
    password = secrets.token_urlsafe(16)
    with (
        SimulatedDittoFS() as dittofs,
        StandInProvider(FolderStore(folder / ".live")) as provider,
    ):
        dittofs.add_user(USERNAME, password, "user")
        _write_project(folder, dittofs.url)
        environment = {
            **os.environ,
            "PULUMI_BACKEND_URL": folder.joinpath(".state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "demo",
            "PULUMI_HOME": str(folder / ".pulumi"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            PASSWORD_ENV: password,
            **provider.environment(),
        }
        printed: list[str] = []
        yield Stage(
            folder,
            dittofs,
            ProjectStack(command, folder, STACK, environment, on_output=printed.append),
            printed,
        )


def _clear(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARKER).exists():
        raise FolderTakenError(f"{folder} is not empty and not a demo's; name another folder with --folder")
    shutil.rmtree(folder, ignore_errors=True)
    for part in (".state", "stacks"):
        (folder / part).mkdir(parents=True)
    (folder / _MARKER).touch()


def _write_project(folder: Path, url: str) -> None:
    server = {
        "name": SERVER,
        "namespace": "files",
        "deploy": {
            "storage": {"content": {"size": "10Gi"}},
            "credentials": {
                "jwt": {"secret": "media-jwt-secret", "key": "jwt-secret"},
                "adminPassword": {"secret": "media-admin-bootstrap-credentials", "key": "password"},
            },
        },
        "api": {
            "url": url,
            "username": USERNAME,
            "passwordEnv": PASSWORD_ENV,
            "deadline": "1s",
        },
    }
    # There is no cluster to look at, and so none to warn of.
    config = {"config": {"kubernetes:renderYamlToDirectory": "manifests", "dittoinfra:servers": [server]}}
    folder.joinpath("Pulumi.yaml").write_text(yaml.safe_dump(_PROJECT, sort_keys=False))
    folder.joinpath("stacks", f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
