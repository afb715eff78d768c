"""What a stack would declare at this moment, with its state as memory and no cluster needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from dittoinfra.automation import ProjectStack, RunReport
from dittoinfra.memory import Memory
from dittoinfra.program import LiveInquiry, Rehearsed, Surroundings
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class NoCluster(LiveInquiry):
    """Asks the servers, and takes every kind and namespace for one that the cluster will have."""

    @override
    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Nothing: whoever applies manifests elsewhere knows better what is there."""
        del servers, unlocated
        return Surroundings()


def rehearse_stack(
    stack: ProjectStack, recall: Callable[[Memory], Memory] | None = None
) -> Rehearsed | RunReport:
    """Everything the next run would declare, or the report of a run that did not come so far."""
    heard: list[Rehearsed] = []
    rehearsing = replace(
        stack,
        inquiry=NoCluster(stack.root, stack.environment),
        on_rehearsed=heard.append,
        recall=recall,
    )
    report = rehearsing.preview()
    return heard[0] if heard else report
