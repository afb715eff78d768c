"""Finds programs of Debian packages, and installs the package if we are root."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from lab.bed.process import BedError


def find_or_install(name: str, package: str, find: Callable[[], Path | None]) -> Path:
    """The program's path; on Debian, as root, its package is installed first if it is missing."""
    found = find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _install(name, package)
        found = find()
    if found is None:
        raise BedError(f"no {name} here; install it: `apt-get install {package}`, or put it on PATH")
    return found


def _install(name: str, package: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # Another worker may be at it.
    patient = ("-o", "DPkg::Lock::Timeout=300")
    # A fresh machine does not know its packages yet.
    for step in (("update",), ("install", "-y", "--no-install-recommends", package)):
        command = ["apt-get", *patient, *step]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["it does not say why"]
            raise BedError(f"{name} cannot be installed: `apt-get {step[0]}` says {lines[-1]!r}")
