"""A stand-in for the program with which the engine runs policy packs in Python.

The engine starts `pulumi-analyzer-policy-python ENGINE PACK` in the pack's folder where it finds no language
host. The stand-in starts the SDK's own entry point with these two arguments, as the official one does. The
engine adds the options of the pack's runtime: the virtual environment that they name is the user's, and the
stand-in has one of its own.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from dittoinfra.engine.installer import cache_directory, is_executable, platform_tag, publish
from lab.bed.process import BedError
from lab.gotools import Progress

LAUNCHER: Final = "pulumi-analyzer-policy-python"
_SCRIPT: Final = '#!/bin/sh\nexec "$(dirname "$0")/../venv/bin/python" -u -m pulumi.policy "$1" "$2"\n'
_LOCK: Final = Path(__file__).parents[2] / "policy" / "requirements.lock"
_SECONDS: Final = 600.0


def policy_host(progress: Progress) -> Path:
    """The folder with the launcher, to be put on the engine's PATH; installed if it is missing."""
    digest = hashlib.sha256(_LOCK.read_bytes() + _SCRIPT.encode()).hexdigest()[:12]
    python = f"python-{sys.version_info.major}.{sys.version_info.minor}"
    entry = cache_directory() / "tools" / "policy-host" / f"{python}-{platform_tag()}-{digest}"
    made = publish(
        entry,
        usable=lambda root: is_executable(root / "bin" / LAUNCHER),
        make=lambda draft: _install(draft, progress),
        on_wait=lambda: progress.say("another process is installing the policy SDK: waiting for it"),
    )
    return made / "bin"


def _install(draft: Path, progress: Progress) -> None:
    progress.say("installing the policy SDK")
    environment = draft / "venv"
    _run(sys.executable, "-m", "venv", str(environment))
    pip = "-m", "pip", "install", "-q", "--disable-pip-version-check"
    _run(str(environment / "bin" / "python"), *pip, "--require-hashes", "-r", str(_LOCK))
    launcher = draft / "bin" / LAUNCHER
    launcher.parent.mkdir()
    launcher.write_text(_SCRIPT)
    launcher.chmod(0o755)


def _run(*command: str) -> None:
    # The tests' own import path would let the pack find modules that it is not installed with.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BedError(f"the policy SDK cannot be installed: {error}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it does not say why"]
        raise BedError(f"the policy SDK cannot be installed: `{command[2]}` says {lines[-1]!r}")
