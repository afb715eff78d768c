"""Single questions to the pulumi CLI, beside the operations that the SDK runs."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.automation.trouble import signal_name
from dittoinfra.exitcodes import ExitCode


class CliFailedError(Exception):
    """The CLI said no: its own last words, and its exit code."""

    def __init__(self, arguments: tuple[str, ...], exit_code: int, said: str) -> None:
        lines = [line.strip().removeprefix("error: ") for line in said.splitlines() if line.strip()]
        why = lines[-1] if lines else "failed without a word"
        if exit_code < 0:
            why = f"it was ended by {signal_name(-exit_code)}; run again"
        super().__init__(f"pulumi {' '.join(arguments[:2])}: {why}")
        self.exit_code = exit_code if exit_code > 0 else ExitCode.GENERIC


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The pulumi CLI in one project, with one environment."""

    command: PulumiCommand
    root: Path
    environment: Mapping[str, str]

    def ask(self, *arguments: str, given: str | None = None) -> str:
        """What the CLI prints; `given` goes to its standard input, where no process list shows it."""
        done = subprocess.run(  # noqa: S603 - the CLI that was found for this, and arguments of our own
            [self.command.command, *arguments, "--non-interactive"],
            cwd=self.root,
            env={**os.environ, **self.environment},
            input=given or "",
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise CliFailedError(arguments, done.returncode, done.stderr or done.stdout)
        return done.stdout
