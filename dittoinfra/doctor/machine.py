"""This machine: the CLI and the provider."""

from collections.abc import Mapping

from dittoinfra.doctor.line import Line, failed, ok, split
from dittoinfra.engine import Cli, Downloadable, Installed, KubernetesPlugin, Unavailable

CLI = "pulumi CLI"
PROVIDER = "Kubernetes provider"


def check_cli(cli: Cli) -> Line:
    """Which CLI runs here."""
    return ok(CLI, f"{cli.path} v{cli.version}")


def no_cli(why: str) -> Line:
    """There is none, and nothing else can be looked at without it."""
    cause, step = split(why, "install it as https://www.pulumi.com/docs/install/ says")
    return failed(CLI, cause, step)


def check_provider(plugin: KubernetesPlugin, environment: Mapping[str, str]) -> Line:
    """Where the engine gets the provider from."""
    attached = _attached(environment)
    if attached is not None:
        # PULUMI_DEBUG_PROVIDERS wins over everything that is installed.
        return ok(PROVIDER, f"attached on port {attached} (PULUMI_DEBUG_PROVIDERS), as the stand-in is")
    match plugin:
        case Installed(path=path, version=version):
            return ok(PROVIDER, f"{path}{f' v{version}' if version else ''}")
        case Downloadable(version=version):
            return ok(PROVIDER, f"the official one, v{version}: downloaded when it is first needed")
        case Unavailable(why=why):
            step = (
                "run `pulumi plugin install resource kubernetes` where there is a network, or use --stand-in"
            )
            return failed(PROVIDER, why, step)


def _attached(environment: Mapping[str, str]) -> str | None:
    for entry in environment.get("PULUMI_DEBUG_PROVIDERS", "").split(","):
        name, _, port = entry.partition(":")
        if name.strip() == "kubernetes" and port:
            return port.strip()
    return None
