"""One run of a history: what was before, what had to come, and what came."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dittoinfra.automation import RunReport
from tests.histories.events import Place, Step
from tests.histories.hands import Services
from tests.histories.manifests import Manifest, manifest
from tests.histories.oracle import Answer, Verdict, judge
from tests.histories.state import Held
from tests.histories.wishes import Wishes


@dataclass(frozen=True, slots=True)
class Moment:
    """The stack between two runs."""

    services: Services
    """What the cluster has."""
    held: Mapping[Place, Held]
    """What the engine's state has."""


@dataclass(frozen=True)
class Outlook:
    """A run that is about to begin."""

    step: Step
    wishes: Wishes
    namespace: str
    answers: Mapping[str, Answer]
    before: Moment

    @cached_property
    def verdict(self) -> Verdict:
        """What it must come to."""
        return judge(self.wishes, self.before.held, self.answers)

    @cached_property
    def plan(self) -> Mapping[Place, Manifest]:
        """What it must declare."""
        return {
            place: manifest(place, it.port, it.count, self.wishes, self.namespace)
            for place, it in self.verdict.declared.items()
        }

    @cached_property
    def operations(self) -> Mapping[Place, str]:
        """What the engine must do to Services; those that it leaves alone are not in it."""
        if self.verdict.refused:
            return {}
        held = self.before.held
        operations = dict.fromkeys(held.keys() - self.plan.keys(), "delete")
        operations |= dict.fromkeys(self.plan.keys() - held.keys(), "create")
        changed = (
            place for place in self.plan.keys() & held.keys() if held[place].inputs != self.plan[place]
        )
        return operations | dict.fromkeys(changed, "update")

    @property
    def failing(self) -> frozenset[Place]:
        """Those of them that the provider is told to fail."""
        return frozenset(
            place
            for place, operation in self.operations.items()
            if {(operation, "*"), (operation, str(place))} & self.step.failing
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A run that is over."""

    outlook: Outlook
    foretold: RunReport | None
    """What a preview said, where somebody asked for one."""
    report: RunReport
    after: Moment


def operations_of(report: RunReport) -> Mapping[Place, str]:
    """What the engine says that it does to Services."""
    return {
        Place(*step.name.split("/", 1)): step.operation
        for step in report.steps
        if step.type == "kubernetes:core/v1:Service"
    }
