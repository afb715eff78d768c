"""Whether the engine will find the official Kubernetes plugin, as the engine itself would look for it."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from dittoinfra.engine.cache import is_executable
from dittoinfra.engine.reach import Reach, Reachable, Unreachable, probe

BINARY = "pulumi-resource-kubernetes"
# The engine asks GitHub first and this mirror when GitHub does not answer.
_RELEASES = "https://github.com/pulumi/pulumi-kubernetes"
_MIRROR = "https://get.pulumi.com/releases/plugins"
# How an override's pattern sees the two: the engine matches it against its own names for them.
_SOURCES = ("github://api.github.com/pulumi/pulumi-kubernetes", _MIRROR)


@dataclass(frozen=True, slots=True)
class Installed:
    """The plugin is on this machine."""

    path: Path
    version: str | None
    """None on PATH, from where the engine takes it whatever its version."""


@dataclass(frozen=True, slots=True)
class Downloadable:
    """The engine can download the plugin when it needs it."""

    version: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The engine cannot have the plugin here."""

    why: str


KubernetesPlugin = Installed | Downloadable | Unavailable


def official_kubernetes_plugin(
    environment: Mapping[str, str] = os.environ, reach: Callable[..., Reach] = probe
) -> KubernetesPlugin:
    """Where the engine will get the plugin from, if it can."""
    version = metadata.version("pulumi-kubernetes")
    if not _is_set(environment, "PULUMI_IGNORE_AMBIENT_PLUGINS"):
        on_path = shutil.which(BINARY, path=environment.get("PATH"))
        if on_path is not None:
            return Installed(Path(on_path), None)
    kept = _plugins_directory(environment) / f"resource-kubernetes-v{version}"
    # The engine keeps this marker beside a plugin until it is unpacked, and skips it meanwhile.
    if is_executable(kept / BINARY) and not kept.with_name(f"{kept.name}.partial").exists():
        return Installed(kept / BINARY, version)
    if _is_set(environment, "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"):
        return Unavailable(
            f"{kept} is not there and PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION forbids to download it"
        )
    match reach(*(tuple(_overrides(environment)) or (_RELEASES, _MIRROR))):
        case Reachable():
            return Downloadable(version)
        case Unreachable(why):
            return Unavailable(f"{kept} is not there and cannot be downloaded ({why})")


def _plugins_directory(environment: Mapping[str, str]) -> Path:
    home = environment.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "plugins"


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() in {"1", "true"}


def _overrides(environment: Mapping[str, str]) -> Iterator[str]:
    """The mirrors of this place, from PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES (`pattern=url,pattern=url`)."""
    for rule in filter(None, environment.get("PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES", "").split(",")):
        pattern, _, url = rule.partition("=")
        if url.startswith(("http://", "https://")) and _concerns_kubernetes(pattern):
            yield url


def _concerns_kubernetes(pattern: str) -> bool:
    try:
        return any(re.search(pattern, source) for source in _SOURCES)
    except re.error:
        # The engine reads Go's syntax; where that differs from ours, the mirror is more likely meant.
        return True
