"""Fake installers of the CLI, and a fake network."""

from pathlib import Path

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.versions import FETCHED_CLI
from tests.unit.engine.programs import pulumi_saying


def never_asked(_: str) -> str:
    raise AssertionError("the network was asked although a CLI is here")


def never_installed(_: Path) -> None:
    raise AssertionError("the installer ran although it cannot be reached")


def installs(root: Path) -> None:
    pulumi_saying(root / "bin" / "pulumi", f"v{FETCHED_CLI}")


def breaks_halfway(root: Path) -> None:
    pulumi_saying(root / "bin" / "pulumi", f"v{FETCHED_CLI}")
    raise EngineError("the official installer ended with 1: disk full")
