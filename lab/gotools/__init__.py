"""Builds programs from Go modules, including the pulumi CLI where no official one is available."""

from lab.gotools.cli import PULUMI_TOOL, find_cli, first_on_path
from lab.gotools.errors import GoNotFoundError, ToolBuildError
from lab.gotools.golang import find_go
from lab.gotools.progress import Progress, Silent, StreamProgress
from lab.gotools.tool import GoTool, build

__all__ = [
    "PULUMI_TOOL",
    "GoNotFoundError",
    "GoTool",
    "Progress",
    "Silent",
    "StreamProgress",
    "ToolBuildError",
    "build",
    "find_cli",
    "find_go",
    "first_on_path",
]
