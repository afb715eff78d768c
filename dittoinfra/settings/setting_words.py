"""How messages name settings and how a secret is set, in a stack's configuration and in other programs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from dittoinfra.settings.problems import SettingPath


class SettingWords(Protocol):
    """What differs between a stack's configuration and the inputs of a program that has our components."""

    def name(self, path: SettingPath) -> str:
        """What a setting of a stack's configuration is called."""

    def place(self, path: SettingPath) -> str | None:
        """The file and the line of a setting, as far as these are known."""

    def set_secret(self, path: SettingPath) -> str:
        """The next step where a secret is missing."""

    def correct_secret(self, path: SettingPath) -> str:
        """The next step where a secret is wrong."""


@dataclass(frozen=True, slots=True)
class StackWords:
    """For those who write a stack's configuration."""

    locate: Callable[[SettingPath], str | None] = lambda _: None

    def name(self, path: SettingPath) -> str:
        """The path in the stack's YAML."""
        return str(path)

    def place(self, path: SettingPath) -> str | None:
        """The file and the line, as far as these are known."""
        return self.locate(path)

    def set_secret(self, path: SettingPath) -> str:
        """The command that asks for it."""
        return f"set one with: {self.correct_secret(path)}"

    def correct_secret(self, path: SettingPath) -> str:
        """The same command."""
        return f"pulumi config set --secret --path '{path}'"


STACK_WORDS: Final = StackWords()
