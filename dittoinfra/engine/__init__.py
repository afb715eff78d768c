"""The engine at hand: where the `pulumi` CLI and the parts it needs come from."""

from dittoinfra.engine.errors import (
    CacheUnusableError,
    CliNotFoundError,
    EngineError,
    GoNotFoundError,
    InstallError,
    ToolBuildError,
)
from dittoinfra.engine.find import Cli, Means, cli_at_a_glance, find_cli
from dittoinfra.engine.gotools import GoTool, build
from dittoinfra.engine.plugin import (
    Downloadable,
    Installed,
    KubernetesPlugin,
    Unavailable,
    official_kubernetes_plugin,
)
from dittoinfra.engine.progress import Progress, Silent, StreamProgress

__all__ = [
    "CacheUnusableError",
    "Cli",
    "CliNotFoundError",
    "Downloadable",
    "EngineError",
    "GoNotFoundError",
    "GoTool",
    "InstallError",
    "Installed",
    "KubernetesPlugin",
    "Means",
    "Progress",
    "Silent",
    "StreamProgress",
    "ToolBuildError",
    "Unavailable",
    "build",
    "cli_at_a_glance",
    "find_cli",
    "official_kubernetes_plugin",
]
