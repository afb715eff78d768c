"""The lines of a pipeline, run as its runner runs them, in a project with the stand-in provider."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.engine.cli.fleet_bed import TIMEOUT, Fleet

_COMMAND = """#!{python}
import sys
sys.argv[0] = "dittoinfra"
from dittoinfra.cli import main
main()
"""


@dataclass
class Shell:
    """A runner's shell, with `dittoinfra` on its path and nothing of the tests' own."""

    project: Fleet
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.program("dittoinfra", _COMMAND.format(python=sys.executable))

    def program(self, name: str, text: str) -> None:
        """Put a program on the path."""
        folder = self.project.root / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    def run(
        self, lines: str, environment: Mapping[str, str] | None = None, *options: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run some lines of a pipeline, with the options that its runner gives to bash."""
        path = os.pathsep.join([str(self.project.root / "bin"), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", *(options or ("-eo", "pipefail")), "-c", lines],
            cwd=self.project.root,
            env={
                **self.project.environment,
                "PATH": path,
                "CI": "true",
                **self.environment,
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def must(self, lines: str, environment: Mapping[str, str] | None = None, *options: str) -> str:
        """Run lines that must end well; what they print."""
        done = self.run(lines, environment, *options)
        assert done.returncode == 0, (lines, done.stdout, done.stderr)
        return done.stdout

    def file(self, name: str) -> Path:
        """A file in the project's folder."""
        return self.project.root / name
