"""One run of a history: the stack before it, the expected result, and the actual one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dittoinfra.stacks.result import RunReport
from tests.chaos.histories.cluster_edits import Services
from tests.chaos.histories.events import AdapterName, Step
from tests.chaos.histories.manifests import Manifest, manifest, service_name
from tests.chaos.histories.oracle import Answer, Verdict, judge
from tests.chaos.histories.stack_configuration import StackConfiguration
from tests.chaos.histories.state import Held


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The stack between two runs."""

    services: Services
    """What the cluster has."""
    held: Mapping[AdapterName, Held]
    """What the engine's state has."""


@dataclass(frozen=True)
class ExpectedRun:
    """The inputs of a run, and what it is expected to do."""

    step: Step
    configuration: StackConfiguration
    namespace: str
    answers: Mapping[str, Answer]
    before: Snapshot
    locked_out: frozenset[str] = frozenset()
    """Servers that refuse the login of a stack that has never been up."""

    @cached_property
    def verdict(self) -> Verdict:
        """The expected result."""
        return judge(self.configuration, self.before.held, self.answers, self.locked_out)

    @cached_property
    def plan(self) -> Mapping[AdapterName, Manifest]:
        """The expected manifests."""
        return {
            adapter: manifest(adapter, it.port, it.count, self.configuration, self.namespace)
            for adapter, it in self.verdict.declared.items()
        }

    @cached_property
    def operations(self) -> Mapping[AdapterName, str]:
        """The expected operations on Services; unchanged Services are left out."""
        if self.verdict.refused:
            return {}
        standing = {adapter: it.inputs for adapter, it in self.before.held.items() if it.inputs is not None}
        operations = dict.fromkeys(standing.keys() - self.plan.keys(), "delete")
        operations |= dict.fromkeys(self.plan.keys() - standing.keys(), "create")
        changed = (
            adapter
            for adapter in self.plan.keys() & standing.keys()
            if standing[adapter] != self.plan[adapter]
        )
        return operations | dict.fromkeys(changed, "update")

    @property
    def unpreviewable(self) -> frozenset[AdapterName]:
        """Updates of Services that are missing in the cluster: `pulumi` fails until a refresh."""
        return frozenset(
            adapter
            for adapter, operation in self.operations.items()
            if operation == "update" and service_name(adapter) not in self.before.services
        )

    @property
    def failing(self) -> frozenset[AdapterName]:
        """Operations that fail: on missing Services, and those that the provider is told to fail."""
        return self.unpreviewable | frozenset(
            adapter
            for adapter, operation in self.operations.items()
            if {(operation, "*"), (operation, str(adapter))} & self.step.failing
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    expected: ExpectedRun
    preview: RunReport | None
    """The report of the preview, if there was one."""
    report: RunReport
    after: Snapshot


def operations_of(report: RunReport) -> Mapping[AdapterName, str]:
    """The operations on Services that the engine reports."""
    return {
        AdapterName(*step.name.split("/", 1)): step.operation
        for step in report.steps
        if step.type == "kubernetes:core/v1:Service"
    }
