"""What a person approves is what happens, or nothing happens: answers meet the state they were given for."""

from collections.abc import Callable
from contextlib import ExitStack

from pulumi.automation import PulumiCommand

from dittoinfra.request import Operation, Request
from dittoinfra.stacks.cli_process import Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.result import StackResult
from tests.engine.cli.fleet_bed import Fleet
from tests.engine.promise.counted import absences, up
from tests.unit.stacks.test_operations import Ear


def _approved_after(
    fleet: Fleet,
    command: PulumiCommand,
    meanwhile: Callable[[], None],
    operation: Operation = Operation.UP,
) -> StackResult:
    """`up prod`, or another operation, with something that happens while its question waits for a yes."""

    def approve(_: object) -> bool:
        meanwhile()
        return True

    project = Project(fleet.root, command, fleet.environment)
    result = operate(
        project,
        ["prod"],
        Request(operation),
        watcher=Ear(),
        processes=Processes(),
        approve=approve,
    )
    assert result is not None
    return result.results[0]


def test_an_absence_counted_meanwhile_stops_the_approved_run(fleet: Fleet, pulumi_cli: PulumiCommand) -> None:
    fleet.server("prod").set_adapter("smb", port=12445)
    fleet.add_stack("prod")
    up(fleet, "prod")
    fleet.server("prod").remove_adapter("smb")
    up(fleet, "prod")

    result = _approved_after(fleet, pulumi_cli, lambda: up(fleet, "prod"))

    assert absences(fleet, "prod") == {"media-adapter-nfs": None, "media-adapter-smb": "2"}
    assert result.report.exit_code == 5
    assert result.report.lines("error") == [
        "what was previewed does not hold any more: media/smb was on port 12445, absent 1 times, "
        "and is on port 12445, absent 2 times; run again"
    ]


def test_a_server_added_meanwhile_stops_the_approved_run(fleet: Fleet, pulumi_cli: PulumiCommand) -> None:
    fleet.add_stack("prod")
    other = {**fleet.block("other"), "name": "backup"}

    result = _approved_after(fleet, pulumi_cli, lambda: fleet.add_stack("prod", fleet.block("prod"), other))

    assert fleet.services("prod") == {}
    assert result.report.exit_code == 5
    assert result.report.lines("error") == [
        "what was previewed does not hold any more: dittoinfra:servers of the configuration has changed; "
        "run again"
    ]


def test_a_service_that_another_checkout_created_meanwhile_is_not_deleted_unseen(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    both = {"adapters": {"types": {"nfs": {"extras": {"udp": True}, "splitUdp": True}}}}
    fleet.add_stack("prod")
    up(fleet, "prod")

    def newer_checkout() -> None:
        fleet.add_stack("prod", {**fleet.block("prod"), **both})
        up(fleet, "prod")
        fleet.add_stack("prod")

    result = _approved_after(fleet, pulumi_cli, newer_checkout)

    assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-nfs-udp"}
    assert result.report.exit_code == 5
    [line] = result.report.lines("error")
    assert line.endswith("is new in the stack's state; run again")


def test_a_service_that_another_checkout_changed_meanwhile_is_not_set_back_unseen(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    fleet.add_stack("prod")
    up(fleet, "prod")

    def newer_checkout() -> None:
        block = fleet.block("prod")
        fleet.add_stack("prod", {**block, "adapters": {"types": {"nfs": {"servicePort": 2049}}}})
        up(fleet, "prod")
        fleet.add_stack("prod")

    result = _approved_after(fleet, pulumi_cli, newer_checkout)

    [port] = fleet.services("prod")["media-adapter-nfs"]["spec"]["ports"]
    assert port["port"] == 2049
    assert result.report.exit_code == 5
    assert result.report.lines("error") == [
        "what was previewed does not hold any more: Service media/nfs has changed in the stack's state; "
        "run again"
    ]


def test_a_destroy_deletes_nothing_that_was_created_since_its_preview(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    fleet.add_stack("prod")
    up(fleet, "prod")

    def another_run() -> None:
        fleet.server("prod").set_adapter("smb", port=12445)
        up(fleet, "prod")

    result = _approved_after(fleet, pulumi_cli, another_run, Operation.DESTROY)

    assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}
    assert result.report.exit_code == 5
    assert result.report.lines("error") == [
        "what was previewed does not hold any more: Service media/smb is new in the stack's state; run again"
    ]

    again = _approved_after(fleet, pulumi_cli, lambda: None, Operation.DESTROY)
    assert again.report.ok, again.report.lines("error")
    assert fleet.services("prod") == {}


def test_an_update_whose_preview_was_held_is_held_whatever_has_changed_since(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    server = fleet.server("prod")
    server.set_adapter("smb", port=12445)
    fleet.add_stack("prod", protectInUse=True, onRefusal="hold")
    up(fleet, "prod")
    server.disable("smb")

    with ExitStack() as connected:
        connected.enter_context(server.client("smb", files=1))
        result = _approved_after(fleet, pulumi_cli, connected.close)

    assert result.report.ok, result.report.lines("error")
    assert any(line.startswith("held: ") for line in result.report.lines("warning")), (
        result.report.diagnostics
    )
    assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}

    # The next preview shows the removal, so the next update may do it.
    assert _approved_after(fleet, pulumi_cli, lambda: None).report.ok
    assert set(fleet.services("prod")) == {"media-adapter-nfs"}


def test_an_untouched_stack_is_updated_as_it_was_shown(fleet: Fleet, pulumi_cli: PulumiCommand) -> None:
    fleet.add_stack("prod")

    # The preview's answer is the one that counts.
    result = _approved_after(fleet, pulumi_cli, lambda: fleet.server("prod").disable("nfs"))

    assert result.report.ok, result.report.lines("error")
    assert set(absences(fleet, "prod")) == {"media-adapter-nfs"}
