"""A user's request: one operation on stacks of a project, as plain values.

Nothing here imports the SDK, which takes most of a second: a wrong flag need not cost that.
"""

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dittoinfra.program.plan import Plan

WAIT_SECONDS = 300.0
"""How long `up` waits for servers it has just deployed: an image has to be pulled, a volume to be made."""


class Operation(StrEnum):
    """What is done to a stack."""

    PREVIEW = "preview"
    UP = "up"
    REFRESH = "refresh"
    DESTROY = "destroy"

    @property
    def creates(self) -> bool:
        """Whether a stack that the backend does not know yet is created."""
        return self in (Operation.PREVIEW, Operation.UP)


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's selection of stacks."""

    patterns: tuple[str, ...] = ()
    """Names, or globs such as `prod-*`."""
    every: bool = False
    tags: tuple[str, ...] = ()
    """`name` or `name=value`; a stack must have all of them."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of the `pulumi` command line, as far as they concern every operation."""

    targets: tuple[str, ...] = ()
    """URNs of the only resources to touch; empty touches all."""
    parallel: int | None = None
    """Resource operations at a time."""
    refresh: bool = False
    """Take over first what the cluster really holds."""
    expect_no_changes: bool = False
    """End in exit code 7 where something would change."""
    diff: bool = False
    """Print every change as the engine does."""
    message: str | None = None
    """What the backend's history says about the run."""
    config_file: Path | None = None
    """Where a program that is run finds the stack's configuration, in place of the stack's own file."""
    colour: bool = False
    """Let the engine print in colours."""
    policy_packs: tuple[Path, ...] = ()
    """Folders of policy packs that a preview and an update have to pass."""
    policy_pack_configs: tuple[Path, ...] = ()
    """The configuration of each of them, in the same order; or none."""

    def for_sdk(self, operation: Operation) -> dict[str, Any]:
        """What the operation takes of them, as the SDK names it."""
        arguments: dict[str, Any] = {
            "target": list(self.targets) or None,
            "parallel": self.parallel,
            "diff": self.diff or None,
            "message": self.message,
            "color": "always" if self.colour else "never",
        }
        if operation is not Operation.DESTROY:
            arguments["expect_no_changes"] = self.expect_no_changes or None
        if operation is not Operation.REFRESH:
            arguments["refresh"] = self.refresh or None
        if operation.creates:
            arguments["config_file"] = str(self.config_file) if self.config_file else None
            # The CLI runs in the project's folder, which need not be where the user is.
            arguments["policy_packs"] = [str(path.absolute()) for path in self.policy_packs] or None
            arguments["policy_pack_configs"] = [
                str(path.absolute()) for path in self.policy_pack_configs
            ] or None
        return arguments


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is printed, and the files and events that are written."""

    as_json: bool = False
    """Print one JSON document instead of a summary."""
    verbose: bool = False
    """Print what the engine itself printed."""
    plan: Path | None = None
    """Where the plan that a preview makes is written; without it none is made."""
    report_md: Path | None = None
    report_json: Path | None = None
    report_html: Path | None = None
    events: str | None = None
    """The file that events are appended to, or `-` for standard output."""
    kubernetes_events: bool = False

    @property
    def only_events_on_stdout(self) -> bool:
        """Whether events are all that goes to standard output."""
        return self.events == "-"


@dataclass(frozen=True, slots=True)
class Request:
    """One operation: what is done, to which stacks, with which engine options and which outputs."""

    operation: Operation
    selection: Selection = field(default_factory=Selection)
    options: RunOptions = field(default_factory=RunOptions)
    outputs: Outputs = field(default_factory=Outputs)
    at_once: int | None = None
    """Stacks at a time; None leaves it to the machine's processors."""
    yes: bool = False
    """Go on after the preview without asking."""
    skip_preview: bool = False
    """Neither preview nor ask."""
    plan_file: Path | None = None
    """The plan to keep to, as it was named."""
    plan: "Plan | None" = None
    """The content of that file: the only answers to use, and what must not have changed since."""
    wait: float = WAIT_SECONDS
    """Seconds that an update may wait for servers it has just deployed; 0 does not wait."""
    verify: bool = False
    """After an update, check that clients reach every adapter; they have `wait` to get there."""
    remove: bool = False
    """Remove a destroyed stack from the backend."""
    break_lock: bool = False
    """Release a stack's lock first."""


def at_once_here() -> int:
    """Stacks at a time on this machine: a run waits for about half of its time."""
    return max(2, min(8, os.cpu_count() or 1))
