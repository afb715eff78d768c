"""What the backend has to allow before a new stack is begun: a passphrase, and a name that is free."""

import json
from collections.abc import Mapping
from pathlib import Path

from dittoinfra.projectfile import has_project, read_project
from dittoinfra.setup.stack_template import InvalidAnswerError, stack_name
from dittoinfra.stacks.cli_process import CommandLine
from dittoinfra.stacks.file_backend import backend_url

_PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE"  # noqa: S105 - the variable's name, not what is in it


def passphrase_problem(root: Path, environment: Mapping[str, str]) -> str | None:
    """Why the secrets of a new stack could not be encrypted; None where nothing is known to be missing."""
    url = backend_url(read_project(root) if has_project(root) else {}, environment)
    # Pulumi Cloud encrypts with a key of its own; every other backend starts a stack with a passphrase.
    if url is None or url.startswith(("http://", "https://")) or _PASSPHRASE in environment:
        return None
    name = environment.get(f"{_PASSPHRASE}_FILE")
    if not name:
        return (
            f"a stack on {_without_credentials(url)} encrypts its secrets with a passphrase, and none is "
            f"set: set {_PASSPHRASE}_FILE to a file that holds one, or {_PASSPHRASE}"
        )
    try:
        # The CLI runs in the project's folder, so a relative path starts there.
        (root / name).read_bytes()
    except OSError as error:
        return (
            f"{_PASSPHRASE}_FILE: {name} cannot be read: {error.strerror}; "
            "write a passphrase into that file first, and keep it: it decrypts the stack's secrets"
        )
    return None


def _without_credentials(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2].partition('?')[0]}"


def held_stacks(cli: CommandLine, project: str) -> Mapping[str, int]:
    """How many resources the backend holds for each stack of a project that is not empty.

    `CliFailedError` where the backend cannot be asked.
    """
    # In a project's own folder the CLI lists its stacks by their own names, and those of other
    # organizations with a prefix; elsewhere it lists full names.
    here = has_project(cli.root)
    listed = json.loads(cli.ask("stack", "ls", "--json", *(() if here else ("--project", project))))
    counts = {str(stack["name"]): int(stack.get("resourceCount") or 0) for stack in listed or ()}
    names = counts if here else {name.rpartition("/")[2]: count for name, count in counts.items()}
    return {name: count for name, count in names.items() if count}


def free_stack_name(text: str, project: str, held: Mapping[str, int], own: tuple[str, ...] = ()) -> str:
    """The name of a stack that has a file of its `own` or is new, or `InvalidAnswerError`.

    A new file for a stack that holds resources would take over the servers of another folder: the next `up`
    would see them as no longer configured.
    """
    name = stack_name(text)
    if name in held and name not in own:
        raise InvalidAnswerError(
            f"stack {name} of project {project} already holds {held[name]} resources in this backend, and "
            f"has no file here; work in the folder that has Pulumi.{name}.yaml or restore that file, choose "
            "another stack name, or begin another project (--project-name in an empty folder)"
        )
    return name
