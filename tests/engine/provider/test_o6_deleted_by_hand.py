"""What was deleted in the cluster is noticed, said and made again."""

from dataclasses import dataclass, field

import pytest

from dittoinfra.request import Operation, Request
from dittoinfra.stacks.cli_process import Processes
from dittoinfra.stacks.operations import StackOperation
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.result import Diagnostic, Phase, StackResult
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import SERVICES
from tests.engine.world import STACK, World, server

SMB = f"{SERVICES}/media-adapter-smb"


@dataclass
class Heard:
    """What a person would have seen."""

    lines: list[Diagnostic] = field(default_factory=list)

    def began(self, stack: str, phase: Phase) -> None: ...

    def progressed(self, stack: str, done: int, total: int | None) -> None: ...

    def said(self, stack: str, message: Diagnostic) -> None:
        self.lines.append(message)

    def previewed(self, result: StackResult) -> None: ...

    def ended(self, result: StackResult) -> None: ...


def work(world: World, operation: Operation, heard: Heard) -> StackOperation:
    """What `dittoinfra preview` or `dittoinfra up` does to the stack."""
    project = Project(world.root, world.command, world.stack.environment)
    return StackOperation(project, STACK, Request(operation, wait=0), heard, Processes())


@pytest.fixture
def deleted(world: World, namespace: Namespace, dittofs: SimulatedDittoFS) -> World:
    """A stack whose smb Service was deleted."""
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.delete(SMB)
    return world


def gone(namespace: Namespace) -> str:
    return (
        f"media: Service media-adapter-smb in namespace {namespace.name} was deleted in the cluster: "
        "`dittoinfra up` creates it again, and so does `pulumi up --refresh`"
    )


def test_plain_pulumi_says_it_with_the_command(deleted: World, namespace: Namespace) -> None:
    assert gone(namespace) in deleted.preview().lines("warning")


@pytest.mark.parametrize("changed", [False, True])
def test_preview_shows_the_truth_and_up_heals(
    deleted: World, namespace: Namespace, dittofs: SimulatedDittoFS, changed: bool
) -> None:
    if changed:
        dittofs.set_adapter("smb", port=12446)
    heard = Heard()

    preview = work(deleted, Operation.PREVIEW, heard).preview().report
    assert preview.ok, preview.lines("error")
    assert [(step.operation, step.name) for step in preview.steps if step.object] == [("create", "media/smb")]
    assert Diagnostic("warning", gone(namespace)) in heard.lines
    assert not [line for line in heard.lines if line.severity == "error"]

    up = work(deleted, Operation.UP, heard)
    up.preview()
    assert up.run().report.ok

    port = namespace.get(SMB)["spec"]["ports"][0]["targetPort"]
    assert port == (12446 if changed else 12445)
    deleted.assert_settled()


def test_up_without_a_preview_heals_too(deleted: World, namespace: Namespace) -> None:
    assert work(deleted, Operation.UP, Heard()).run().report.ok

    assert namespace.get(SMB)["spec"]["ports"]


def test_a_service_that_lost_its_labels_is_not_gone(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, namespace=namespace.name))
    world.up()
    namespace.merge(SMB, {"metadata": {"labels": {"app": None}}})

    assert not [line for line in world.preview().lines("warning") if "was deleted" in line]
