"""The project and the stacks that a command works on, and the pulumi CLI that serves them."""

from collections.abc import Sequence
from pathlib import Path

import typer

from dittoinfra.cli.command_errors import CommandError, UsageError
from dittoinfra.cli.console import say
from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.pulumi_cli import Cli, find_cli
from dittoinfra.exitcodes import ExitCode
from dittoinfra.projectfile import NoProjectError, configured_stacks, find_project, unreadable_project
from dittoinfra.request import Selection
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import CliFailedError
from dittoinfra.stacks.cli_question import cli_environment
from dittoinfra.stacks.project import Project, SelectionError, select_stacks


def find_engine() -> Cli:
    """The pulumi CLI, with progress on the terminal while it is being fetched."""
    try:
        return find_cli(say)
    except EngineError as error:
        raise CommandError(str(error)) from None


def current_project(context: typer.Context) -> Project:
    """The project around the folder that the command was started in, or told to look in."""
    root = project_root(context)
    return project_with(root, find_engine())


def project_root(context: typer.Context) -> Path:
    """The project's folder."""
    try:
        root = find_project(_started_in(context))
    except NoProjectError as error:
        raise UsageError(str(error)) from None
    if wrong := unreadable_project(root):
        raise UsageError(wrong)
    return root


def root_of_new_stack(context: typer.Context) -> Path:
    """The project's folder, or where there is none the one that can become a project."""
    from dittoinfra.setup.new_project import FolderNotEmptyError, check_folder

    folder = _started_in(context)
    try:
        return find_project(folder)
    except NoProjectError:
        pass
    try:
        check_folder(folder)
    except FolderNotEmptyError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be read: {error.strerror}") from None
    return folder


def _started_in(context: typer.Context) -> Path:
    cwd = context.obj
    assert isinstance(cwd, Path)  # noqa: S101 - the application's own callback puts it there
    return cwd.absolute()


def project_with(root: Path, cli: Cli) -> Project:
    """The project in a folder, served by this CLI."""
    return Project(root, cli, cli_environment())


def configured_stack(context: typer.Context, name: str, *, create: bool = True) -> BackendStack:
    """A stack of the project that has a configuration file; `create` as in `Project.stack`."""
    project = current_project(context)
    check_configured([name], configured_stacks(project.root))
    return project.stack(name, create=create)


def check_configured(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Refuse stacks without a configuration file; `names` are those that have one."""
    missing = [name for name in wanted if name not in names]
    if missing:
        known = f"there are {', '.join(names)}" if names else "there is none yet"
        which = missing[0] if len(missing) == 1 else "STACK"
        raise CommandError(
            f"no stack {', '.join(map(repr, missing))} is configured in this project; {known}; "
            f"`dittoinfra init {which}` makes it",
            ExitCode.NO_SUCH_STACK,
        )


def check_selection(selection: Selection) -> None:
    """Refuse a selection that contradicts itself, before anything is begun."""
    if selection.every and selection.patterns:
        raise UsageError("--all and names of stacks contradict each other")


def selected_stacks(project: Project, selection: Selection, *, creates: bool) -> tuple[str, ...]:
    """The selected stacks; for what `creates` stacks, those too that have only a configuration yet."""
    try:
        found = select_stacks(project, selection, creates=creates)
    except (SelectionError, CliFailedError) as error:
        raise CommandError(str(error), error.exit_code) from None
    if found.elsewhere:
        names = ", ".join(found.elsewhere)
        say(f"skipped: {names}: in the backend, but without a file in stacks/; name them to run them")
    return found.stacks
