"""A Pulumi project of this kind on disk, and the stacks that it has."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.automation.cli import CommandLine
from dittoinfra.automation.stack import ProjectStack

_PROJECT_FILE = "Pulumi.yaml"


class NoProjectError(Exception):
    """There is no project to work on."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Stacks that the backend has."""

    names: tuple[str, ...]
    selected: str | None
    """The one that `pulumi stack select` chose, if it is among them."""


@dataclass(frozen=True, slots=True)
class Project:
    """One project folder and the CLI that serves it."""

    root: Path
    command: PulumiCommand
    environment: Mapping[str, str]

    @property
    def name(self) -> str:
        """What the project calls itself."""
        return str(read_project(self.root).get("name") or "")

    def stack(self, name: str) -> ProjectStack:
        """One of its stacks."""
        return ProjectStack(self.command, self.root, name, self.environment)

    def known_stacks(self, tag: str | None = None) -> tuple[str, ...]:
        """Stacks that the backend has, all of them or those with a tag (`name` or `name=value`)."""
        return self.listing(tag).names

    def listing(self, tag: str | None = None) -> Listing:
        """The same, and which of them is selected."""
        chosen = ["--tag", tag] if tag is not None else []
        listed: list[dict[str, Any]] = json.loads(self._cli.ask("stack", "ls", "--json", *chosen))
        selected = next((str(stack["name"]) for stack in listed if stack.get("current")), None)
        return Listing(tuple(sorted(str(stack["name"]) for stack in listed)), selected)

    def configured_stacks(self) -> tuple[str, ...]:
        """Stacks that have a configuration file, whether the backend knows them yet or not."""
        prefix, suffix = "Pulumi.", ".yaml"
        files = self._config_folder.glob(f"{prefix}*{suffix}")
        names = (file.name.removeprefix(prefix).removesuffix(suffix) for file in files)
        return tuple(sorted(name for name in names if name))

    @property
    def _cli(self) -> CommandLine:
        return CommandLine(self.command, self.root, self.environment)

    @property
    def _config_folder(self) -> Path:
        return self.root / str(read_project(self.root).get("stackConfigDir") or ".")


def find_project(start: Path) -> Path:
    """The folder of the nearest project, from `start` upwards, as the pulumi CLI looks for it."""
    for folder in (start, *start.parents):
        if (folder / _PROJECT_FILE).is_file():
            return folder
    raise NoProjectError(
        f"there is no {_PROJECT_FILE} in {start} or above it; "
        "go to the project's folder, or name it with --cwd"
    )


def read_project(root: Path) -> Mapping[str, Any]:
    """The project's own file."""
    content = yaml.safe_load((root / _PROJECT_FILE).read_text())
    return content if isinstance(content, dict) else {}
