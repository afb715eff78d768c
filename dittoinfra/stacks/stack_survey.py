"""What a stack's next run would observe and decide, determined without an engine.

The CLI prints the configuration and exports the state; the rest is what a run itself does.
"""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dittoinfra.stacks.cli_process import InterruptibleCommand

if TYPE_CHECKING:
    from dittoinfra.decide.observations import Fingerprints
    from dittoinfra.model import Note
    from dittoinfra.program.observe import RunContext
    from dittoinfra.program.survey import RunRecord
    from dittoinfra.settings.configuration import Configuration
    from dittoinfra.stacks.backend_stack import BackendStack
    from dittoinfra.state import Memory


@dataclass(frozen=True, slots=True)
class StoredStack:
    """A stack as in its configuration file and its backend."""

    configuration: "Configuration"
    deployment: Mapping[str, Any] = field(repr=False)
    """The exported state, its secrets encrypted."""

    def memory(self) -> "Memory":
        """What the state holds."""
        from dittoinfra.kubernetes.credentials import read_kubeconfigs
        from dittoinfra.state import exported_resources, held_providers, remember

        resources, provider = exported_resources(self.deployment), self.configuration.provider
        kubeconfigs = read_kubeconfigs((provider, *held_providers(resources)))
        return replace(remember(resources, provider, kubeconfigs), exported=True)


def read_stack(stack: "BackendStack") -> StoredStack:
    """Configuration and state, read by the CLI in parallel; `CliFailedError` where one of them fails."""
    with ThreadPoolExecutor(1, "export") as pool:
        # First, because it creates a stack that does not exist yet.
        configuration = stack.configuration() if stack.create else None
        exported = pool.submit(stack.export)
        return StoredStack(configuration or stack.configuration(), exported.result())


def survey_stack(
    stack: "BackendStack", stored: StoredStack | None = None, context: "RunContext | None" = None
) -> "RunRecord":
    """What the next run would decide; `RunStopped` where it would stop before."""
    from dittoinfra.program.survey import read_settings, survey

    stored = stored or read_stack(stack)
    settings = read_settings(stored.configuration)
    return survey(stored.configuration, settings, stored.memory(), context or context_of(stack))


def held_resources(deployment: Mapping[str, Any]) -> "Fingerprints":
    """The resources that an exported state holds, and nothing else of it."""
    from dittoinfra.decide.observations import Fingerprints
    from dittoinfra.state.memory import exported_resources, fingerprints

    # What is to be deleted may have changed since; only what is new was never shown.
    return Fingerprints(memory=None, resources=fingerprints(exported_resources(deployment)), exact=False)


def check_destroy(
    stack: "BackendStack", targets: Collection[str], deployment: Mapping[str, Any] | None = None
) -> "Sequence[Note]":
    """What is said before a stack, or its `targets`, is deleted; `RunStopped` where it must not be.

    The engine deletes it without running the program, so nothing else would look after what is deleted.
    `deployment` is its exported state, where the caller has read that already.
    """
    from dittoinfra.program.in_use_questions import destroyed_in_use
    from dittoinfra.program.observe import check_removal
    from dittoinfra.program.run_errors import ConfigurationRefused, RunRefused
    from dittoinfra.program.survey import read_settings

    stored = read_stack(stack) if deployment is None else StoredStack(stack.configuration(), deployment)
    configuration, memory = stored.configuration, stored.memory()
    refusals = check_removal(configuration, memory, stack.environment)
    if refusals:
        raise RunRefused(refusals)
    try:
        settings = read_settings(configuration)
    except ConfigurationRefused:
        # A deletion needs no settings, unless they say that clients are protected.
        if configuration.values.get("dittoinfra:protectInUse") == "true":
            raise
        return ()
    in_use = destroyed_in_use(configuration, settings, memory, stack.environment, targets)
    if in_use.refusals:
        raise RunRefused(in_use.refusals)
    return in_use.notes


def context_of(stack: "BackendStack") -> "RunContext":
    """The access of a run of this stack to its servers and its cluster."""
    from dittoinfra.program.observe import RunContext

    command = stack.command
    return RunContext(
        stack.environment, command.processes.calling if isinstance(command, InterruptibleCommand) else None
    )
