"""Which version a pulumi CLI is: what it says of itself, remembered for as long as its file is the same.

Starting it for nothing but that takes a fifth of a second, and every command would.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from semver import VersionInfo

from dittoinfra.engine.cache import cache_directory

_PATIENCE_SECONDS = 60.0
"""A machine may be busy; a file that hangs is no CLI."""


def version_of(path: Path) -> VersionInfo | None:
    """The version of the CLI at a path, None if it does not say; `OSError` or `SubprocessError` otherwise."""
    known_by = _identity(path)
    if known_by is None:
        return _said(path)
    # The name is that of this very file: another one under the same path does not find what this one said.
    memory = cache_directory() / "versions" / hashlib.sha256(json.dumps(known_by).encode()).hexdigest()
    with suppress(OSError, UnicodeDecodeError, ValueError):
        return VersionInfo.parse(memory.read_text(encoding="ascii"))
    version = _said(path)
    if version is not None:
        # Whoever cannot keep it asks again next time.
        with suppress(OSError):
            _keep(memory, str(version))
    return version


def _identity(path: Path) -> tuple[str | int, ...] | None:
    """What changes with the file; None where another program decides which CLI is run.

    Version managers put a script in the CLI's place, or a link to themselves.
    """
    try:
        real = path.resolve(strict=True)
        with real.open("rb") as file:
            if real.name != "pulumi" or file.read(2) == b"#!":
                return None
            found = os.fstat(file.fileno())
    except OSError:
        return None
    return str(real), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _said(path: Path) -> VersionInfo | None:
    said = subprocess.run(  # noqa: S603 - the CLI that the other commands would start
        [path, "version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        timeout=_PATIENCE_SECONDS,
        check=True,
    )
    try:
        return VersionInfo.parse(said.stdout.decode().strip().removeprefix("v"))
    except ValueError:
        return None


def _keep(memory: Path, version: str) -> None:
    memory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="ascii", dir=memory.parent, delete=False) as draft:
        draft.write(version)
    Path(draft.name).replace(memory)
