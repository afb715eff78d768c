"""The pulumi CLI for tests and demo: the one the product would find, otherwise one that is built."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.installer import install, why_unreachable
from dittoinfra.engine.pulumi_cli import (
    Cli,
    NotFound,
    cached_cli,
    cli_on_path,
    first_found,
    installed_cli,
    usable_cli,
)
from dittoinfra.engine.versions import FETCHED_CLI
from lab.gotools.progress import Progress
from lab.gotools.tool import GoTool, build

PULUMI_TOOL = GoTool(
    name="pulumi",
    version=f"v{FETCHED_CLI}",
    module_dir=Path(__file__).parent / "modules" / "pulumi",
    packages=("github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",),
    binaries=("pulumi",),
    # The Automation API refuses a CLI that does not know its version.
    ldflags=f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{FETCHED_CLI}",
)


def find_cli(
    progress: Progress,
    *,
    why_unreachable: Callable[[str], str | None] = why_unreachable,
    install: Callable[[Path], None] = install,
) -> Cli:
    """The first supported CLI: on PATH, in a cache, from the official installer, or built from its module."""
    return first_found(
        lambda: cli_on_path(progress.say),
        cached_cli,
        _built_before,
        lambda: installed_cli(progress.say, why_unreachable, install),
        lambda: _built(progress),
    )


def first_on_path(cli: Cli) -> None:
    """Put this CLI first on PATH for all processes started from here."""
    if shutil.which("pulumi") != str(cli.path):
        # An empty part of PATH would mean the folder at hand.
        parts = (str(cli.path.parent), os.environ.get("PATH"))
        os.environ["PATH"] = os.pathsep.join(filter(None, parts))


def _built_before() -> Cli | NotFound:
    root = PULUMI_TOOL.built()
    return NotFound("none built before") if root is None else usable_cli(_cli_in(root))


def _built(progress: Progress) -> Cli | NotFound:
    try:
        return usable_cli(_cli_in(build(PULUMI_TOOL, progress)))
    except EngineError as error:
        return NotFound(str(error))


def _cli_in(root: Path) -> Path:
    return PULUMI_TOOL.binary(root, "pulumi")
