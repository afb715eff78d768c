"""This machine: the CLI, the SDKs and the provider, and whether they go together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from dittoinfra.doctor.check_result import CheckResult, failed, ok, warning
from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.plugin import (
    HOW_TO_GET_IT,
    Downloadable,
    Installed,
    KubernetesPlugin,
    Unavailable,
    kept_versions,
    official_kubernetes_plugin,
    plugin_version,
    sdk_version,
)
from dittoinfra.engine.pulumi_cli import HOW_TO_INSTALL, Cli
from dittoinfra.engine.versions import PROVIDER, PROVIDER_SDK, SDK, Supported, parsed

_CLI = "pulumi CLI"
_SDKS = "Python SDKs"
_PROVIDER = "Kubernetes provider"


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of the provider before a run needs it."""

    plugin: KubernetesPlugin
    sdk: str
    """The version that the SDK asks for."""
    version: str | None = None
    """What the plugin on PATH says it is."""
    kept: Sequence[str] = ()
    """Every version that the engine has downloaded."""


def find_provider(environment: Mapping[str, str]) -> Provider:
    """Look for the provider as the engine would, and ask the one on PATH which version it is."""
    plugin = official_kubernetes_plugin(environment)
    known = plugin.version if isinstance(plugin, Installed) else None
    if isinstance(plugin, Installed) and known is None and _attached(environment) is None:
        known = plugin_version(plugin.path)
    return Provider(plugin, sdk_version(), known, kept_versions(environment))


def check_cli(cli: Cli) -> CheckResult:
    """Which CLI runs here."""
    return ok(_CLI, f"{cli.path} v{cli.version}")


def no_cli(error: EngineError) -> CheckResult:
    """There is none, and nothing else can be checked without it."""
    return failed(_CLI, error.cause, error.next_step or HOW_TO_INSTALL)


def check_sdks(versions: Mapping[str, str] | None = None) -> CheckResult:
    """Which SDKs this program runs with."""
    known = versions or {name: metadata.version(name) for name in ("pulumi", "pulumi-kubernetes")}
    wrong = [
        f"{name} {objection}"
        for (name, version), supported in zip(known.items(), (SDK, PROVIDER_SDK), strict=True)
        if (objection := _objection(supported, version)) is not None
    ]
    if wrong:
        return failed(_SDKS, "; ".join(wrong), "install dittoinfra anew with the versions that it requires")
    return ok(_SDKS, ", ".join(f"{name} {version}" for name, version in known.items()))


def check_provider(found: Provider, environment: Mapping[str, str]) -> Iterator[CheckResult]:
    """Where the engine gets the provider from, and whether its version fits the SDK."""
    attached = _attached(environment)
    if attached is not None:
        # PULUMI_DEBUG_PROVIDERS wins over everything that is installed.
        yield ok(_PROVIDER, f"attached on port {attached} (PULUMI_DEBUG_PROVIDERS)")
        return
    match found.plugin:
        case Installed(path=path):
            yield ok(_PROVIDER, f"{path}{f' v{found.version}' if found.version else ''}")
            yield from _on_path(str(path), found)
        case Downloadable(version=version):
            yield ok(_PROVIDER, f"the official one, v{version}: downloaded when it is first needed")
            yield from _other_versions(found)
        case Unavailable(why=why):
            yield failed(_PROVIDER, why, HOW_TO_GET_IT)
            yield from _other_versions(found)


def _on_path(path: str, found: Provider) -> Iterator[CheckResult]:
    if found.version is None:
        step = f"run `{path} --version`, and compare it with pulumi-kubernetes {found.sdk}"
        yield warning(_PROVIDER, f"{path} does not say which version it is", step)
        return
    objection = _objection(PROVIDER, found.version)
    if objection is not None:
        yield failed(_PROVIDER, f"{path} {objection}", f"put v{found.sdk} there, or take it off PATH")
    elif found.version != found.sdk:
        text = f"{path} is v{found.version}, and pulumi-kubernetes {found.sdk} asks for v{found.sdk}"
        yield warning(_PROVIDER, text, f"take it off PATH, or install pulumi-kubernetes=={found.version}")


def _other_versions(found: Provider) -> Iterator[CheckResult]:
    others = [f"v{version}" for version in found.kept if version != found.sdk]
    if others:
        text = f"{', '.join(others)} is installed, and pulumi-kubernetes {found.sdk} asks for v{found.sdk}"
        yield warning(_PROVIDER, text, f"run `pulumi plugin install resource kubernetes v{found.sdk}`")


def _objection(supported: Supported, version: str) -> str | None:
    known = parsed(version)
    # One that is built from no release has no number to compare.
    return supported.objection(known) if known is not None else None


def _attached(environment: Mapping[str, str]) -> str | None:
    for entry in environment.get("PULUMI_DEBUG_PROVIDERS", "").split(","):
        name, _, port = entry.partition(":")
        if name.strip() == "kubernetes" and port:
            return port.strip()
    return None
