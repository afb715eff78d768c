"""The one place that finds the pulumi CLI."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from semver import VersionInfo

from dittoinfra.engine.asked import version_of
from dittoinfra.engine.cache import cache_directory, is_executable, platform_tag, publish
from dittoinfra.engine.errors import CliNotFoundError, EngineError
from dittoinfra.engine.gotools import GoTool, build
from dittoinfra.engine.installer import INSTALLER_URL, install
from dittoinfra.engine.progress import Progress
from dittoinfra.engine.reach import Reach, Reachable, Unreachable, probe
from dittoinfra.engine.versions import FETCHED_CLI, FIRST_UNSUPPORTED_CLI, OLDEST_CLI, objection

if TYPE_CHECKING:
    from pulumi.automation import PulumiCommand

PULUMI_TOOL = GoTool(
    name="pulumi",
    version=f"v{FETCHED_CLI}",
    module_dir=Path(__file__).parent / "modules" / "pulumi",
    packages=("github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",),
    binaries=("pulumi",),
    # The Automation API refuses a CLI that does not know its version.
    ldflags=f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{FETCHED_CLI}",
)


@dataclass(frozen=True, slots=True)
class Cli:
    """A pulumi CLI that answered with a supported version."""

    command: "PulumiCommand"
    path: Path
    version: VersionInfo


@dataclass(frozen=True, slots=True)
class Means:
    """How the search touches the world beyond this machine."""

    reach: Callable[[str], Reach] = probe
    install: Callable[[Path], None] = install


@dataclass(frozen=True, slots=True)
class _NotThere:
    """One way did not lead to a CLI."""

    why: str


_Way = Callable[[Progress, Means], Cli | _NotThere]


def find_cli(progress: Progress, means: Means | None = None) -> Cli:
    """The nearest supported CLI: on PATH, in our cache, from the official installer, built by module name."""
    ways: tuple[_Way, ...] = (_on_path, _cached, _installed, _built)
    reasons: list[str] = []
    for way in ways:
        match way(progress, means or Means()):
            case Cli() as cli:
                return cli
            case _NotThere(why):
                reasons.append(why)
    raise CliNotFoundError(
        f"no pulumi CLI (at least {OLDEST_CLI}, before {FIRST_UNSUPPORTED_CLI}): {'; '.join(reasons)}; "
        "install it as https://www.pulumi.com/docs/install/ says and put it on PATH"
    )


def cli_at_a_glance() -> str | None:
    """The CLI that is at hand and what it says of itself, without fetching or building anything."""
    on_path = shutil.which("pulumi")
    roots = (
        root for root in (_installer_root(), PULUMI_TOOL.built()) if root is not None and _holds_cli(root)
    )
    path = Path(on_path) if on_path is not None else next(map(_cli_in, roots), None)
    if path is None:
        return None
    try:
        version = version_of(path)
    except (OSError, subprocess.SubprocessError):
        return None
    return f"v{version} ({path})" if version is not None else None


def _on_path(progress: Progress, _: Means) -> Cli | _NotThere:
    found = shutil.which("pulumi")
    if found is None:
        return _NotThere("none on PATH")
    answer = _ask(Path(found).absolute())
    if isinstance(answer, _NotThere):
        # Somebody who has installed a CLI must learn why it is not the one that runs.
        progress.say(f"{answer.why}: looking for another")
    return answer


def _cached(_: Progress, __: Means) -> Cli | _NotThere:
    for root in (_installer_root(), PULUMI_TOOL.built()):
        if root is not None and _holds_cli(root):
            # The entry's name tells the version, but only a start tells whether the file runs here.
            answer = _ask(_cli_in(root))
            if isinstance(answer, Cli):
                return answer
    return _NotThere("none in the cache")


def _installed(progress: Progress, means: Means) -> Cli | _NotThere:
    match means.reach(INSTALLER_URL):
        case Unreachable(why):
            return _NotThere(f"the official installer cannot be reached ({why})")
        case Reachable():
            pass
    what = f"pulumi v{FETCHED_CLI}"
    progress.say(f"installing {what} with the official installer")
    try:
        root = publish(
            _installer_root(),
            usable=_holds_cli,
            make=means.install,
            on_wait=lambda: progress.say(f"another process is installing {what}: waiting for it"),
        )
    except EngineError as error:
        progress.say(f"{error}: looking for another way")
        return _NotThere(str(error))
    return _ask(_cli_in(root))


def _built(progress: Progress, _: Means) -> Cli | _NotThere:
    try:
        return _ask(_cli_in(build(PULUMI_TOOL, progress)))
    except EngineError as error:
        return _NotThere(str(error))


def _installer_root() -> Path:
    return cache_directory() / "pulumi" / f"v{FETCHED_CLI}-{platform_tag()}"


def _cli_in(root: Path) -> Path:
    return root / "bin" / "pulumi"


def _holds_cli(root: Path) -> bool:
    return is_executable(_cli_in(root))


def _ask(path: Path) -> Cli | _NotThere:
    """The CLI at a path, if it runs and is of a supported version."""
    try:
        version = version_of(path)
    except (OSError, subprocess.SubprocessError) as error:
        return _NotThere(f"{path} does not run ({error})")
    if version is None:
        return _NotThere(f"{path} does not say which version it is")
    if (problem := objection(version)) is not None:
        return _NotThere(f"{path} {problem}")
    # Importing the SDK takes most of a second, and whoever only reads settings never gets here.
    from dittoinfra.engine.known import KnownCommand

    return Cli(command=KnownCommand(path, version), path=path, version=version)
