"""A CLI whose version is known; the SDK would start it to ask."""

from pathlib import Path

from pulumi.automation import PulumiCommand
from semver import VersionInfo


class KnownCommand(PulumiCommand):
    """Runs the CLI at one path, whatever PATH says later."""

    def __init__(self, path: Path, version: VersionInfo) -> None:
        self.command = str(path)
        self.version = version
