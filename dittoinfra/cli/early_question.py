"""The first question to the pulumi CLI, asked before the command line itself is loaded.

The CLI takes as long to decrypt a configuration as Python to load what reads it, typer included. So the words
of the commonest calls are read here, without typer; the command asks by itself where they are others.
"""

from collections.abc import Sequence
from pathlib import Path

from dittoinfra.engine.pulumi_cli import Cli, cli_on_path
from dittoinfra.projectfile import NoProjectError, configured_stacks, find_project, unreadable_project
from dittoinfra.stacks.cli_question import EarlyQuestion, ask_early, cli_environment, configuration_question

_COMMANDS = frozenset({"adapters", "drift", "status", "verify"})
_FLAGS = frozenset({"--json", "-j"})

_asked: list[EarlyQuestion] = []


def ask_before_loading(words: Sequence[str]) -> None:
    """Ask for the configuration of the only stack that these words are about, where they are about one."""
    named = [word for word in words[1:] if word not in _FLAGS]
    if len(named) != 1 or words[0] not in _COMMANDS or (root := _project_of(named[0])) is None:
        return
    # The first place in which the command looks for it, too.
    cli = cli_on_path(lambda _: None)
    if isinstance(cli, Cli):
        question = configuration_question(named[0])
        _asked.append(ask_early(str(cli.path), root, cli_environment(), question))


def asked_before() -> EarlyQuestion | None:
    """The question that was asked, for the command that it was asked for."""
    return _asked.pop() if _asked else None


def _project_of(stack: str) -> Path | None:
    """The project around this folder, where it configures the stack; what is wrong is told by the command."""
    try:
        root = find_project(Path().absolute())
        return None if unreadable_project(root) or stack not in configured_stacks(root) else root
    except (NoProjectError, OSError):
        return None
