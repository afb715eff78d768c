"""The command and the engine that it finds."""

from pulumi.automation import PulumiCommand

from dittoinfra import __version__
from tests.unit.cli.command import dittoinfra


def test_version(pulumi_cli: PulumiCommand) -> None:
    done = dittoinfra("--version")

    assert done.returncode == 0
    ours, engine = done.stdout.splitlines()
    assert ours == f"dittoinfra {__version__}"
    assert engine == f"pulumi v{pulumi_cli.version} ({pulumi_cli.command})"


def test_the_engine_at_hand_is_named(pulumi_cli: PulumiCommand) -> None:
    done = dittoinfra("engine")

    assert done.returncode == 0
    cli, provider = done.stdout.splitlines()
    assert cli == f"pulumi CLI: {pulumi_cli.command} v{pulumi_cli.version}"
    assert provider.startswith("Kubernetes provider: ")
