"""Making a stack, step by step; each step finds what an earlier run has done, and goes on from there."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dittoinfra.automation import ProjectStack
from dittoinfra.automation.configuration import Configuration
from dittoinfra.settings import StackSettings
from dittoinfra.setup.secrets import missing_secrets, new_secret

Say = Callable[[str], None]


class StackFileExistsError(Exception):
    """Somebody has written the stack's configuration already."""


def write_stack_file(path: Path, text: str) -> None:
    """Write a new file, and never over one that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StackFileExistsError(f"{path} exists already, and is not overwritten") from None


@dataclass(frozen=True, slots=True)
class Made:
    """What the stack is configured with now."""

    configuration: Configuration
    settings: StackSettings
    secrets: tuple[str, ...]
    """Paths of the secrets that were stored, by this run."""


def store_secrets(stack: ProjectStack, given: Mapping[str, str], say: Say) -> Made:
    """Create the stack if need be, and give it every secret that it lacks: those given, or new ones.

    `ConfigurationError` where the configuration is wrong otherwise, `CliFailedError` where the CLI refuses.
    """
    stored = tuple(_store(stack, given, say))
    configuration = stack.configuration()
    return Made(configuration, configuration.settings(), stored)


def _store(stack: ProjectStack, given: Mapping[str, str], say: Say) -> Iterator[str]:
    for path in missing_secrets(stack.configuration().values):
        stack.set_config(path, given.get(path) or new_secret(), secret=True, path=True)
        say(f"stored encrypted: {path}{'' if path in given else ' (new)'}")
        yield path
