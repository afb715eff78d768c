"""A Pulumi project of this kind on disk, and the stacks that it has."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi.automation import PulumiCommand

from dittoinfra.automation.cli import CommandLine
from dittoinfra.automation.stack import ProjectStack
from dittoinfra.projectfile import NoProjectError, configured_stacks, find_project, read_project

__all__ = ["NoProjectError", "Project", "find_project", "read_project"]


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
        return configured_stacks(self.root)

    @property
    def _cli(self) -> CommandLine:
        return CommandLine(self.command, self.root, self.environment)
