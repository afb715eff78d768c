"""A dittoinfra project on disk, its stacks, and which of them a command is about."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.prefetch import prefetch_program
from dittoinfra.projectfile import configured_stacks, read_project
from dittoinfra.request import Selection
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import CommandLine, PulumiCli
from dittoinfra.stacks.cli_question import EarlyQuestion
from dittoinfra.stacks.file_backend import stack_files, stored_deployment


@dataclass(frozen=True, slots=True)
class Project:
    """One project folder and the CLI that is used for it."""

    root: Path
    command: PulumiCli
    environment: Mapping[str, str]
    early: EarlyQuestion | None = None
    """A question about one of its stacks that was asked before."""

    @property
    def name(self) -> str:
        """The project's name in `Pulumi.yaml`."""
        return str(read_project(self.root).get("name") or "")

    def stack(self, name: str, *, create: bool = True) -> BackendStack:
        """One of its stacks, to be read; `ProjectStack.of` it can be run.

        With `create` its first operation creates one that the backend does not know yet.
        """
        return BackendStack(self.command, self.root, name, self.environment, create, self.early)

    def holds(self, stack: str) -> bool:
        """Whether the backend certainly knows a stack, as far as that is visible without the CLI."""
        files = stack_files(read_project(self.root), self.root, self.environment, stack)
        return files is not None and stored_deployment(files) is not None

    def known_stacks(self, tag: str | None = None) -> tuple[str, ...]:
        """Stacks that the backend has, all of them or those with a tag (`name` or `name=value`)."""
        return self.known_and_selected(tag)[0]

    def known_and_selected(self, tag: str | None = None) -> tuple[tuple[str, ...], str | None]:
        """Stacks that the backend has, and the one of them that `pulumi stack select` chose, if any."""
        chosen = ["--tag", tag] if tag is not None else []
        cli = CommandLine(self.command, self.root, self.environment)
        listed: list[dict[str, Any]] = json.loads(cli.ask("stack", "ls", "--json", *chosen))
        selected = next((str(stack["name"]) for stack in listed if stack.get("current")), None)
        return tuple(sorted(str(stack["name"]) for stack in listed)), selected


_GLOB = frozenset("*?[")


class SelectionError(Exception):
    """No stacks to work on: one line, and an exit code."""

    def __init__(self, line: str, exit_code: int) -> None:
        super().__init__(line)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Selected:
    """The stacks that were selected."""

    stacks: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    """Stacks that only the backend knows: without a configuration file here, "all" does not include them."""


@dataclass(frozen=True, slots=True)
class Available:
    """The stacks that there are, each list in order."""

    every: tuple[str, ...]
    """Those that can be selected by name."""
    here: tuple[str, ...]
    """Those of them that have a configuration file in this project."""
    selected: str | None = None
    """The one that `pulumi stack select` chose."""


def select_stacks(project: Project, selection: Selection, *, creates: bool) -> Selected:
    """The selected stacks, or `SelectionError`.

    A stack can be selected by name when the backend knows it or, for an operation that `creates` it, when it
    has a configuration file. A selection of several at once, of a `destroy` too, includes those with a file
    only: a checkout that has lost a file must not cause the removal of what the file configured.
    """
    configured = configured_stacks(project.root)
    # Every start of the CLI costs half a second, and stacks given by name exist or will be created.
    if creates and _names_only(selection) and set(selection.patterns) <= set(configured):
        return Selected(tuple(dict.fromkeys(selection.patterns)))
    # Nor is the backend asked whether there is a stack whose state can be read.
    if _names_only(selection) and all(map(project.holds, selection.patterns)):
        return Selected(tuple(dict.fromkeys(selection.patterns)))
    if creates:
        prefetch_program()  # the CLI takes a while to list them, and then the program runs
    known, selected = project.known_and_selected()
    every = {*known, *(configured if creates else ())}
    if selection.tags:
        every = every.intersection(*(project.known_stacks(tag) for tag in selection.tags))
    available = Available(tuple(sorted(every)), tuple(sorted(every & set(configured))), selected)
    return choose(selection, available)


def choose(selection: Selection, available: Available) -> Selected:
    """The selected stacks among the available ones, each once. Pure."""
    if selection.patterns:
        return _matching(selection.patterns, available)
    if selection.every or selection.tags:
        elsewhere = tuple(name for name in available.every if name not in available.here)
        if not available.here:
            raise SelectionError(_nothing_here(selection, elsewhere), ExitCode.NO_SUCH_STACK)
        return Selected(available.here, elsewhere)
    if available.selected is not None and available.selected in available.every:
        return Selected((available.selected,))
    if len(available.every) == 1:
        return Selected(available.every)
    these = f" ({_listed(available.every)})" if available.every else ""
    raise SelectionError(f"which stack? Name one or several{these}, or say --all", ExitCode.CONFIGURATION)


def _names_only(selection: Selection) -> bool:
    """Whether every stack is selected by its full name, without any other condition."""
    return bool(selection.patterns) and not selection.tags and not any(map(_is_glob, selection.patterns))


def _matching(patterns: Iterable[str], available: Available) -> Selected:
    found: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    unknown: list[str] = []
    for pattern in patterns:
        matches = [name for name in available.every if name == pattern or fnmatchcase(name, pattern)]
        meant = [name for name in matches if name == pattern or name in available.here]
        found.update(dict.fromkeys(meant))
        elsewhere.update(dict.fromkeys(name for name in matches if name not in meant))
        if not meant:
            unknown.append(_unknown(pattern, available.here if _is_glob(pattern) else available.every))
    if unknown:
        raise SelectionError("; ".join(unknown), ExitCode.NO_SUCH_STACK)
    return Selected(tuple(found), tuple(name for name in elsewhere if name not in found))


def _nothing_here(selection: Selection, elsewhere: Sequence[str]) -> str:
    tags = " with " + " and ".join(selection.tags) if selection.tags else ""
    if elsewhere:
        return f"there is no stack{tags} with a file here; only the backend knows {_listed(elsewhere)}"
    return f"there is no stack{tags} here; begin one with `dittoinfra init`"


def _unknown(pattern: str, available: Sequence[str]) -> str:
    if _is_glob(pattern):
        return f"no stack matches {pattern!r}" + (f"; there are {_listed(available)}" if available else "")
    near = get_close_matches(pattern, available, n=3)
    if near:
        return f"there is no stack {pattern!r}; did you mean {' or '.join(map(repr, near))}?"
    return f"there is no stack {pattern!r}" + (f"; there are {_listed(available)}" if available else "")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


def _is_glob(pattern: str) -> bool:
    return not _GLOB.isdisjoint(pattern)
