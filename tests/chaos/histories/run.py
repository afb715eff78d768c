"""One run of a history: what was before, what had to come, and what came."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.events import Place, Step
from tests.chaos.histories.hands import Services
from tests.chaos.histories.manifests import Manifest, manifest, service_name
from tests.chaos.histories.oracle import Answer, Verdict, judge
from tests.chaos.histories.state import Held
from tests.chaos.histories.wishes import Wishes


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
    locked_out: frozenset[str] = frozenset()
    """Servers that refuse the login of a stack that has never been up."""

    @cached_property
    def verdict(self) -> Verdict:
        """What it must come to."""
        return judge(self.wishes, self.before.held, self.answers, self.locked_out)

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
        standing = {place: it.inputs for place, it in self.before.held.items() if it.inputs is not None}
        operations = dict.fromkeys(standing.keys() - self.plan.keys(), "delete")
        operations |= dict.fromkeys(self.plan.keys() - standing.keys(), "create")
        changed = (
            place for place in self.plan.keys() & standing.keys() if standing[place] != self.plan[place]
        )
        return operations | dict.fromkeys(changed, "update")

    @property
    def unpreviewable(self) -> frozenset[Place]:
        """Updates of Services that are gone from the cluster: a plain `pulumi` fails, a refresh helps."""
        return frozenset(
            place
            for place, operation in self.operations.items()
            if operation == "update" and service_name(place) not in self.before.services
        )

    @property
    def failing(self) -> frozenset[Place]:
        """Operations that fail: those of Services that are gone, and what the provider is told to fail."""
        return self.unpreviewable | frozenset(
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
