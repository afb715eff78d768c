"""The official installer, run where it can neither hang nor leave half a CLI behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from dittoinfra.engine.errors import InstallError, one_line
from dittoinfra.engine.versions import FETCHED_CLI

INSTALLER_URL = "https://get.pulumi.com"
"""The host that serves the installer's script and the archives that it fetches."""

INSTALL_LIMIT_SECONDS = 300.0
"""An archive of about 150 MB over a slow line."""

# A process of its own, because neither the SDK's download nor the script it starts takes a timeout.
# The socket timeout inside is for a proxy that accepts connections and then says nothing.
_PROGRAM = """
import socket, sys
socket.setdefaulttimeout(10)
from pulumi.automation import PulumiCommand
from semver import VersionInfo
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""


def install(root: Path, limit: float = INSTALL_LIMIT_SECONDS) -> None:
    """Let the official installer put the pinned CLI into `root`."""
    run_bounded([sys.executable, "-c", _PROGRAM, str(root), str(FETCHED_CLI)], limit)


def run_bounded(command: list[str], limit: float) -> None:
    """Run an installing command to its end, or end it and all that it started when the time is up."""
    with subprocess.Popen(  # noqa: S603 - this very Python, with a program that is written above
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            _, messages = process.communicate(timeout=limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise InstallError(f"the official installer did not finish within {limit:g} s") from None
            raise
    if process.returncode != 0:
        last_words = messages.strip().splitlines()[-1:] or ["it said nothing"]
        raise InstallError(f"the official installer ended with {process.returncode}: {one_line(*last_words)}")
