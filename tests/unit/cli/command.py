"""The command in a process of its own."""

import subprocess
import sys

from tests.engine.cli.fleet_bed import PROGRAM


def dittoinfra(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own, as a shell would."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
