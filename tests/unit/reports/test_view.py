"""What a report shows of what came of the stacks."""

from dataclasses import replace
from datetime import UTC, datetime

from dittoinfra.changes import Change, Changes
from dittoinfra.reports.build import build_report
from dittoinfra.reports.result_model import Report
from dittoinfra.request import Operation
from dittoinfra.stacks.result import Diagnostic, FleetResult, RunReport, StackResult
from dittoinfra.stacks.shown_values import KNOWN_LATER
from tests.unit.reports.make import PORT_MOVED, Adapter, Server, Stack, result, step

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def built(*stacks: Stack, operation: Operation = Operation.PREVIEW) -> Report:
    return build_report(result(*stacks, operation=operation), NOW)


def ran(*steps: object, exit_code: int = 0, **more: object) -> FleetResult:
    """A stack of which nothing is known but what the engine did."""
    report = RunReport(Changes(), tuple(steps), (), exit_code, **more)  # type: ignore[arg-type]
    return FleetResult((StackResult("prod", Operation.UP, report, 0.5),))


def test_removals_come_first_and_say_why() -> None:
    report = built(Stack("prod", [Server("media", [Adapter("nfs", "create"), Adapter("smb", "delete")])]))

    [removal] = report.removals
    assert (removal.stack, removal.server, removal.adapter) == ("prod", "media", "smb")
    assert (removal.object.name, removal.reason) == ("media-adapter-smb", "disabled on the server")
    assert [adapter.type for adapter in report.stacks[0].servers[0].adapters] == ["smb", "nfs"]
    assert report.stacks[0].servers[0].change is Change.DELETE
    assert report.totals.adapters == 1


def test_an_adapter_is_shown_with_where_it_is_found() -> None:
    nfs = Adapter(
        "nfs", "update", external=["192.0.2.7:2049"], hostname="nfs.example.com", differences=PORT_MOVED
    )
    [adapter] = built(Stack(servers=[Server("media", [nfs])])).stacks[0].servers[0].adapters

    assert (adapter.state, adapter.port) == ("serving", 12049)
    assert adapter.endpoints is not None
    assert adapter.endpoints.internal == "media-adapter-nfs.files.svc:12049"
    assert adapter.endpoints.external == ("192.0.2.7:2049",)
    assert adapter.endpoints.mount == ("mount -t nfs -o vers=4.0,port=2049 192.0.2.7:/EXPORT /mnt",)
    assert adapter.names is not None
    assert (adapter.names.hostname, adapter.names.addresses) == ("nfs.example.com", ("192.0.2.7",))
    [moved] = adapter.service.properties
    assert (moved.path, moved.before, moved.after) == ("spec.ports[0].port", "12049", "12050")


def test_the_parts_of_a_replacement_are_one_change() -> None:
    parts = [
        step("media", "media-adapter-nfs", operation, adapter="nfs")
        for operation in ("create-replacement", "replace", "delete-replaced")
    ]
    report = build_report(ran(*parts), NOW)

    assert report.stacks[0].servers[0].adapters[0].change is Change.REPLACE
    assert report.totals.changes == Changes(replace=1)
    assert [each.object.change for each in report.removals] == [Change.REPLACE]


def test_two_runs_of_one_command_come_to_one_change() -> None:
    steps = [step("media", "media", operation, "StatefulSet") for operation in ("create", "update")]
    report = build_report(ran(*steps), NOW)

    assert report.totals.changes == Changes(create=1)
    assert report.removals == ()


def test_what_a_broken_off_run_never_came_to_is_not_told_as_done() -> None:
    begun = replace(step("media", "media-adapter-nfs", "delete", adapter="nfs"), done=False)
    report = build_report(ran(begun, exit_code=8), NOW)

    assert report.totals.changes.delete == 0
    assert report.removals == ()


def test_what_failed_is_not_counted_as_done() -> None:
    report = build_report(
        ran(step("media", "media-adapter-nfs", "delete", adapter="nfs", failed=True), exit_code=1), NOW
    )

    assert report.totals.changes.delete == 0
    assert report.removals[0].object.failed
    assert (report.ok, report.exit_code, report.totals.failed) == (False, 1, 1)


def test_objects_beside_the_adapters_are_shown_where_they_belong() -> None:
    policy = step("media", "media-adapter-nfs", "create", "NetworkPolicy", adapter="nfs")
    workload = step("media", "media", "update", "StatefulSet")
    report = build_report(ran(policy, workload), NOW)

    [server] = report.stacks[0].servers
    [adapter] = server.adapters
    assert [each.kind for each in adapter.others] == ["NetworkPolicy"]
    assert [each.kind for each in server.others] == ["StatefulSet"]
    assert adapter.change is Change.SAME, "its Service is left as it was"


def test_a_server_without_an_answer_says_why() -> None:
    report = built(Stack(servers=[Server("media", why="the connection was refused"), Server("archive")]))

    silent, answered = report.stacks[0].servers
    assert (silent.outcome, silent.why) == ("unreachable", "the connection was refused")
    assert (answered.outcome, answered.why) == ("answered", None)
    assert report.totals.unanswered == 1


def test_the_engine_s_echo_is_left_out() -> None:
    said = [("error", "the cloud is out of addresses"), ("error", "update failed"), ("info", "media: moved")]
    [stack] = built(Stack(diagnostics=said, exit_code=1)).stacks

    assert stack.errors == ("the cloud is out of addresses",)
    assert stack.notes == ("media: moved",)
    [alone] = built(Stack(diagnostics=[("error", "update failed")], exit_code=1)).stacks
    assert alone.errors == ("update failed",)


def test_outputs_of_any_shape_are_survived() -> None:
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    for outputs in (
        {},
        {"servers": "[secret]"},
        {"servers": {"media": "[secret]"}},
        {"servers": {"media": {"adapters": [], "conditions": {}, "namespace": 3}}},
        {"servers": {"media": {"adapters": {"nfs": {"endpoints": unknown, "dns": {"hostname": unknown}}}}}},
    ):
        report = build_report(ran(outputs=outputs), NOW)
        assert unknown not in report.model_dump_json()
        assert KNOWN_LATER not in report.model_dump_json()


def test_a_stack_that_never_began_is_in_the_report() -> None:
    report = RunReport(Changes(), (), (Diagnostic("error", "no such stack"),), 6)
    built_of = build_report(FleetResult((StackResult("prod", Operation.UP, report, 0.1),)), NOW)

    assert (built_of.exit_code, built_of.stacks[0].errors, built_of.stacks[0].servers) == (
        6,
        ("no such stack",),
        (),
    )


def test_no_stack_at_all_is_a_report_too() -> None:
    report = build_report(FleetResult(()), NOW)

    assert (report.ok, report.totals.stacks, report.stacks) == (True, 0, ())
