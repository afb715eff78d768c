"""How an operation is run, in the words of the CLI's own flags."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What people tell `pulumi` on its command line, as far as it concerns every operation."""

    targets: tuple[str, ...] = ()
    """URNs of the only resources to touch; empty touches all."""
    parallel: int | None = None
    """Resource operations at a time."""
    refresh: bool = False
    """Take over first what the cluster really holds."""
    expect_no_changes: bool = False
    """End in exit code 7 where something would change."""
    diff: bool = False
    """Print every change property by property."""
    message: str | None = None
    """What the backend's history says about the run."""
    config_file: Path | None = None
    """Where a program that is run finds the stack's configuration, in place of the stack's own file."""
    colour: bool = False
    """Let the engine print in colours."""

    def of_every_operation(self) -> dict[str, Any]:
        """What every operation understands, as the SDK takes it."""
        return {
            "target": list(self.targets) or None,
            "parallel": self.parallel,
            "diff": self.diff or None,
            "message": self.message,
            "color": "always" if self.colour else "never",
        }

    def of_refresh(self) -> dict[str, Any]:
        """What a refresh understands beyond that."""
        return {"expect_no_changes": self.expect_no_changes or None}

    def of_destroy(self) -> dict[str, Any]:
        """What a destruction understands beyond that."""
        return {"refresh": self.refresh or None}

    def of_program(self) -> dict[str, Any]:
        """What an operation that runs the program understands beyond that."""
        return {
            **self.of_refresh(),
            **self.of_destroy(),
            "config_file": str(self.config_file) if self.config_file else None,
        }
