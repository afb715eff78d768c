"""The built wheel in a virtual environment of its own, and what runs in it: nothing of this repository does.

The packages that it depends on are those of the tests' own environment: no test reaches a package index.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests import ROOT
from tests.engine.cli.fleet_bed import TIMEOUT

DEPENDENCIES = sysconfig.get_paths()["purelib"]
"""The folder that the tests' packages are in. This repository is there by a .pth file only, which is not read
in a folder that is named in another one."""


def build_wheel(folder: Path) -> Path:
    """The wheel, as docs/projects.md builds it, with the build's own packages from the tests' environment."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    command = [*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder), "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


def install(wheel: Path, environment: Path, installer: Literal["pip", "uv"] = "pip") -> None:
    """Install the wheel, as pip or uv does it, into a virtual environment that is made for it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(DEPENDENCIES)
    python = ("--python", str(environment / "bin" / "python"))
    command = {
        "pip": [sys.executable, "-m", "pip", *python, "install", "--disable-pip-version-check"],
        "uv": [sys.executable, "-m", "uv", "pip", "install", *python, "--no-cache"],
    }[installer]
    done = subprocess.run(
        [*command, "--quiet", "--no-deps", "--no-index", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@dataclass
class User:
    """A user with a folder, an environment, and the command that is installed in it."""

    folder: Path
    binaries: Sequence[Path]
    """Folders of programs, before those of the machine."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def run(self, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in the folder, with nothing of the caller's Pulumi or Python settings."""
        foreign = ("PULUMI_", "DITTOINFRA_", "PYTHON", "VIRTUAL_ENV", "KUBECONFIG")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        path = os.pathsep.join([*map(str, self.binaries), os.environ["PATH"]])
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**inherited, "PATH": path, **self.variables, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def must(self, *command: str, **variables: str) -> str:
        """Run a command that must end well; what it prints."""
        done = self.run(*command, **variables)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout
