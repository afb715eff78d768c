"""Where the engine finds the official Kubernetes plugin, looked for as the engine does, and its version."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from dittoinfra.engine.installer import is_executable, why_unreachable

BINARY = "pulumi-resource-kubernetes"

HOW_TO_GET_IT = (
    "run `pulumi plugin install resource kubernetes` where there is a network, "
    "or see docs/offline.md where there is none"
)
"""What to do where the engine cannot have the plugin."""

_ANSWER_SECONDS = 20.0
"""For a plugin to say which version it is; on a busy machine it takes seconds to start."""

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
    environment: Mapping[str, str] = os.environ, why_unreachable: Callable[..., str | None] = why_unreachable
) -> KubernetesPlugin:
    """Where the engine will get the plugin from, if it can."""
    version = sdk_version()
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
    why = why_unreachable(*(tuple(_overrides(environment)) or (_RELEASES, _MIRROR)))
    if why is not None:
        return Unavailable(f"{kept} is not there and cannot be downloaded ({why})")
    return Downloadable(version)


def sdk_version() -> str:
    """The version of the provider that the installed SDK asks for."""
    return metadata.version("pulumi-kubernetes")


def kept_versions(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The versions of the plugin that the engine has downloaded."""
    kept = _plugins_directory(environment).glob(f"resource-kubernetes-v*/{BINARY}")
    return tuple(sorted(path.parent.name.removeprefix("resource-kubernetes-v") for path in kept))


def _plugins_directory(environment: Mapping[str, str]) -> Path:
    home = environment.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "plugins"


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() in {"1", "true"}


def _overrides(environment: Mapping[str, str]) -> Iterator[str]:
    """The configured mirrors, from PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES (`pattern=url,pattern=url`)."""
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


def plugin_version(path: Path) -> str | None:
    """The version that a plugin reports when it is started as the engine would; None where it reports none.

    PATH does not tell it, and the engine takes what is there.
    """
    # The argument is the engine's address, which a plugin needs only when it is put to work.
    with subprocess.Popen(  # noqa: S603 - the plugin that the engine would start
        [path, "127.0.0.1:1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as plugin:
        # Reading its port has no timeout of its own: a plugin that says nothing is ended.
        limit = threading.Timer(_ANSWER_SECONDS, plugin.kill)
        limit.start()
        try:
            port = plugin.stdout.readline().strip().decode() if plugin.stdout else ""
            return _ask_version(port) if port.isdecimal() else None
        finally:
            limit.cancel()
            plugin.kill()


def _ask_version(port: str) -> str | None:
    import grpc
    from google.protobuf.empty_pb2 import Empty
    from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            info = ResourceProviderStub(channel).GetPluginInfo(Empty(), timeout=_ANSWER_SECONDS)
        except grpc.RpcError:
            return None
    return str(info.version).removeprefix("v") or None
