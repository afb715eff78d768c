"""A stack with a hand-written program, run inline with no more than that takes."""

import os
from collections.abc import Callable
from datetime import UTC, datetime

import semver
from pulumi import automation as auto
from pulumi.automation._stack import StackInitMode  # not exported, though the constructor asks for it


class KnownCommand(auto.PulumiCommand):
    """The CLI that the bench has found: the SDK would start it once more to ask for its version."""

    def __init__(self) -> None:
        version, _, self.command = os.environ["BENCH_PULUMI"].partition(" ")
        self.version = semver.VersionInfo.parse(version)


class PlainStack(auto.Stack):
    """Without what the SDK starts the CLI for beside the operation itself: the floor has every advantage."""

    def __init__(self, root: str, name: str, program: Callable[[], None]) -> None:
        self.name = name
        self.workspace = auto.LocalWorkspace(
            work_dir=root, program=program, env_vars=dict(os.environ), pulumi_command=KnownCommand()
        )
        self._mode = StackInitMode.SELECT

    def outputs(self) -> auto.OutputMap:
        """Not read in the benchmark."""
        return {}

    def info(self, show_secrets: bool = False) -> auto.UpdateSummary:
        """Not read in the benchmark."""
        del show_secrets
        return auto.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")
