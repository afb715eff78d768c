"""What a person approves is what happens, or nothing happens: answers meet the state they were given for."""

from collections.abc import Callable

from pulumi.automation import PulumiCommand

from dittoinfra.request import Operation, Request
from dittoinfra.stacks.cli_process import Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.result import StackResult
from tests.engine.cli.fleet_bed import Fleet
from tests.engine.promise.counted import absences, up
from tests.unit.stacks.test_operations import Ear


def _approved_after(fleet: Fleet, command: PulumiCommand, meanwhile: Callable[[], None]) -> StackResult:
    """`up prod`, with something that happens while its question waits for a yes."""

    def approve(_: object) -> bool:
        meanwhile()
        return True

    project = Project(fleet.root, command, fleet.environment)
    result = operate(
        project,
        ["prod"],
        Request(Operation.UP),
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


def test_what_nobody_has_touched_meanwhile_is_applied_as_it_was_shown(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    fleet.add_stack("prod")

    # The preview's answer is the one that counts.
    result = _approved_after(fleet, pulumi_cli, lambda: fleet.server("prod").disable("nfs"))

    assert result.report.ok, result.report.lines("error")
    assert set(absences(fleet, "prod")) == {"media-adapter-nfs"}
