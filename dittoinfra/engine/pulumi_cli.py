"""The one place that finds the pulumi CLI."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from semver import VersionInfo

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.installer import (
    INSTALLER_URL,
    cache_directory,
    install,
    is_executable,
    platform_tag,
    publish,
    why_unreachable,
)
from dittoinfra.engine.versions import CLI, FETCHED_CLI, parsed
from dittoinfra.whole_files import write_over

HOW_TO_INSTALL = "install it as https://www.pulumi.com/docs/install/ says and put it on PATH"

_VERSION_SECONDS = 60.0
"""A machine may be busy; a file that hangs is no CLI."""

Say = Callable[[str], None]
"""Shows the user a line about work that takes long."""


@dataclass(frozen=True, slots=True)
class Cli:
    """A pulumi CLI of a supported version."""

    path: Path
    version: VersionInfo

    @property
    def command(self) -> str:
        """What starts it, whatever PATH says later."""
        return str(self.path)


@dataclass(frozen=True, slots=True)
class NotFound:
    """One place has no CLI that can be used."""

    why: str


def find_cli(
    say: Say,
    *,
    why_unreachable: Callable[[str], str | None] = why_unreachable,
    install: Callable[[Path], None] = install,
) -> Cli:
    """The first supported CLI: on PATH, in our cache, from the official installer."""
    return first_found(
        lambda: cli_on_path(say), cached_cli, lambda: installed_cli(say, why_unreachable, install)
    )


def first_found(*searches: Callable[[], Cli | NotFound]) -> Cli:
    """The CLI of the first search that finds one."""
    reasons: list[str] = []
    for search in searches:
        found = search()
        if isinstance(found, Cli):
            return found
        reasons.append(found.why)
    raise EngineError(f"no pulumi CLI ({CLI}): {'; '.join(reasons)}", HOW_TO_INSTALL)


def local_cli_text() -> str | None:
    """Version and path of the CLI on this machine, whatever its version; nothing is fetched."""
    found = shutil.which("pulumi")
    path = Path(found) if found is not None else _cli_in(_installer_root())
    if not is_executable(path):
        return None
    try:
        version = version_of(path)
    except (OSError, subprocess.SubprocessError):
        return None
    return f"v{version} ({path})" if version is not None else None


def cli_on_path(say: Say) -> Cli | NotFound:
    """The CLI that the user has installed."""
    found = shutil.which("pulumi")
    if found is None:
        return NotFound("none on PATH")
    cli = usable_cli(Path(found).absolute())
    if isinstance(cli, NotFound):
        # A user who has installed a CLI must learn why it is not the one that runs.
        say(f"{cli.why}: looking for another")
    return cli


def cached_cli() -> Cli | NotFound:
    """The CLI that the official installer has put into our cache."""
    if not _holds_cli(_installer_root()):
        return NotFound("none in the cache")
    # The entry's name tells the version, but only a start tells whether the file runs here.
    return usable_cli(_cli_in(_installer_root()))


def installed_cli(
    say: Say, why_unreachable: Callable[[str], str | None], install: Callable[[Path], None]
) -> Cli | NotFound:
    """A CLI from the official installer, where that can be reached; from then on it is in our cache."""
    if (why := why_unreachable(INSTALLER_URL)) is not None:
        return NotFound(f"the official installer cannot be reached ({why})")
    what = f"pulumi v{FETCHED_CLI}"
    say(f"installing {what} with the official installer")
    try:
        root = publish(
            _installer_root(),
            usable=_holds_cli,
            make=install,
            on_wait=lambda: say(f"another process is installing {what}: waiting for it"),
        )
    except EngineError as error:
        say(str(error))
        return NotFound(str(error))
    return usable_cli(_cli_in(root))


def usable_cli(path: Path) -> Cli | NotFound:
    """The CLI at a path, if it runs and is of a supported version."""
    try:
        version = version_of(path)
    except (OSError, subprocess.SubprocessError) as error:
        return NotFound(f"{path} does not run ({error})")
    if version is None:
        return NotFound(f"{path} does not say which version it is")
    if (problem := CLI.objection(version)) is not None:
        return NotFound(f"{path} {problem}")
    return Cli(path, version)


def version_of(path: Path) -> VersionInfo | None:
    """The version of the CLI at a path, None if it does not say; `OSError` or `SubprocessError` otherwise.

    Starting the CLI takes a fifth of a second, so its answer is kept for as long as its file is the same.
    """
    identity = _identity(path)
    if identity is None:
        return _ask_version(path)
    # Named after this very file: another file at the same path does not find this one's answer.
    kept = cache_directory() / "versions" / hashlib.sha256(json.dumps(identity).encode()).hexdigest()
    with suppress(OSError, UnicodeDecodeError, ValueError):
        return VersionInfo.parse(kept.read_text(encoding="ascii"))
    version = _ask_version(path)
    if version is not None:
        # A version that cannot be stored is asked for again next time.
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_over(kept, str(version))
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


def _ask_version(path: Path) -> VersionInfo | None:
    answer = subprocess.run(  # noqa: S603 - the CLI that the other commands would start
        [path, "version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        timeout=_VERSION_SECONDS,
        check=True,
    )
    return parsed(answer.stdout.decode(errors="replace"))


def _installer_root() -> Path:
    return cache_directory() / "pulumi" / f"v{FETCHED_CLI}-{platform_tag()}"


def _cli_in(root: Path) -> Path:
    return root / "bin" / "pulumi"


def _holds_cli(root: Path) -> bool:
    return is_executable(_cli_in(root))
