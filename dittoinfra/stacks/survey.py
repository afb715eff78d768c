"""What a stack's next run would hear and decide, determined without an engine.

The CLI prints the configuration and exports the state; the rest is what a run itself does.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dittoinfra.stacks.cli_process import InterruptibleCommand

if TYPE_CHECKING:
    from dittoinfra.decide.observations import Fingerprints
    from dittoinfra.program.observe import World
    from dittoinfra.program.run import RunRecord
    from dittoinfra.program.run_errors import RunRefused
    from dittoinfra.settings.configuration import Configuration
    from dittoinfra.stacks.project_stack import ProjectStack
    from dittoinfra.state import Memory


@dataclass(frozen=True, slots=True)
class StoredStack:
    """A stack as in its configuration file and its backend."""

    configuration: "Configuration"
    deployment: Mapping[str, Any] = field(repr=False)
    """The exported state, its secrets encrypted."""

    def memory(self) -> "Memory":
        """What the state holds."""
        from dittoinfra.state import exported_resources, remember

        return remember(exported_resources(self.deployment), self.configuration.provider)


def read_stack(stack: "ProjectStack") -> StoredStack:
    """Configuration and state, read by the CLI in parallel; `CliFailedError` where one of them fails."""
    with ThreadPoolExecutor(1, "export") as pool:
        # First, because it creates a stack that does not exist yet.
        configuration = stack.configuration() if stack.create else None
        exported = pool.submit(stack.export)
        return StoredStack(configuration or stack.configuration(), exported.result())


def survey_stack(
    stack: "ProjectStack", stored: StoredStack | None = None, world: "World | None" = None
) -> "RunRecord":
    """What the next run would decide; `RunStopped` where it would stop before."""
    from dittoinfra.program.run import read_settings, survey

    stored = stored or read_stack(stack)
    settings = read_settings(stored.configuration)
    return survey(stored.configuration, settings, stored.memory(), world or world_of(stack))


def held_resources(stack: "ProjectStack") -> "Fingerprints":
    """The resources that a stack holds, and nothing else of its state."""
    from dittoinfra.decide.observations import Fingerprints
    from dittoinfra.state.memory import exported_resources, fingerprints

    return Fingerprints(memory=None, resources=fingerprints(exported_resources(stack.export())))


def removal_refused(stack: "ProjectStack") -> "RunRefused | None":
    """Why all of a stack must not be deleted; the engine deletes it without running the program."""
    from dittoinfra.program.observe import check_removal
    from dittoinfra.program.run_errors import RunRefused

    stored = read_stack(stack)
    refusals = check_removal(stored.configuration, stored.memory(), stack.environment)
    return RunRefused(refusals) if refusals else None


def world_of(stack: "ProjectStack") -> "World":
    """The access of a run of this stack to its servers and its cluster."""
    from dittoinfra.program.observe import World

    command = stack.command
    return World(
        stack.environment, command.processes.calling if isinstance(command, InterruptibleCommand) else None
    )
