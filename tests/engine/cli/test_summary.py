"""What an operation shows at its end: every change with its values and its reason, and every error once."""

from io import StringIO

import pytest
from rich.console import Console

from dittoinfra.changes import Changes
from dittoinfra.cli.summary import show_changes, show_summary
from dittoinfra.request import Operation
from dittoinfra.stacks.engine_events import HIDDEN, Difference
from dittoinfra.stacks.result import Diagnostic, FleetResult, RunReport, StackResult, Step
from tests.engine.cli.fleet_bed import Fleet
from tests.unit.reports.make import step

pytestmark = pytest.mark.long

REASON = "brake: this run would remove 4 of 12 adapters: " + ", ".join(f"media{n}/nfs" for n in range(12))
MOVED = (Difference("spec.ports[0].port", "12049", "2049"), Difference("metadata.labels.team", None, "a"))


def fleet_of(*reports: RunReport) -> FleetResult:
    return FleetResult(
        tuple(StackResult(f"s{n}", Operation.UP, report, 1.0) for n, report in enumerate(reports))
    )


def shown(result: FleetResult, *, terminal: bool = True, told: list[tuple[str, str]] | None = None) -> str:
    out = StringIO()
    screen = Console(file=out, width=100, force_terminal=terminal, color_system=None)
    show_summary(screen, result, previewed=False, told=told or [])
    return out.getvalue()


def changes(*steps: Step, previewed: bool = False, exit_code: int = 0, **reasons: str) -> list[str]:
    named = {f"media/{adapter}": why for adapter, why in reasons.items()}
    out = StringIO()
    report = RunReport(Changes(update=1), steps, (), exit_code, reasons=named)
    show_changes(Console(file=out, width=60), fleet_of(report).results, previewed=previewed)
    return out.getvalue().splitlines()


def test_every_error_is_told_whole_and_once_below_its_row() -> None:
    several = (Diagnostic("error", f"{REASON}\nand more"), Diagnostic("error", "update failed"))
    failed = fleet_of(RunReport(Changes(), (), several, 5), RunReport.failed("no answer", 1))

    for terminal in (True, False):
        told = shown(failed, terminal=terminal).splitlines()
        assert told[-4:] == [
            f"s0: error: {REASON}",
            "s0: error: and more",
            "s1: error: no answer",
            "2 stacks: 2 failed",
        ]
    assert "no answer" not in shown(failed, told=[("s1", "no answer")])


def test_what_is_about_plugins_comes_after_the_reasons() -> None:
    noisy = RunReport(Changes(), (), (Diagnostic("error", "no answer"),), 1, plugins=("from $PATH",))

    assert shown(fleet_of(noisy)).splitlines()[-2:] == ["s0: error: no answer", "engine: from $PATH"]


def test_a_change_has_its_reason_and_each_property_its_values() -> None:
    moved = step("media", "media-adapter-nfs", "update", adapter="nfs", differences=MOVED)
    gone = step("media", "media-adapter-smb", "delete", adapter="smb", failed=True)
    secret = (Difference("data.key", HIDDEN, HIDDEN),)
    kept = step("media", "media-jwt", "update", "Secret", differences=secret)

    assert changes(moved, gone, kept, nfs="served, moved from port 12049 to 2049", smb="disabled") == [
        "s0",
        "  - Service media/smb failed: disabled",
        "  ~ Secret media-jwt",
        "      data.key: [secret] → [secret]",
        "  ~ Service media/nfs: served, moved from port 12049 to 2049",
        "      spec.ports[0].port: 12049 → 2049",
        "      metadata.labels.team: (none) → a",
    ]
    assert changes(moved, previewed=True, exit_code=1) == [], "a preview that failed is no forecast"


def test_the_count_is_that_of_the_objects() -> None:
    steps = (
        Step("create", "dittoinfra:index:Server", "media", "urn:server", done=True),
        step("media", "media", "create", "StatefulSet"),
        step("media", "media", "update", "StatefulSet"),
        step("media", "media-adapter-nfs", "delete", adapter="nfs", failed=True),
    )
    counted = shown(fleet_of(RunReport(Changes(create=2, update=1), steps, (), 0)), terminal=False)
    components = shown(fleet_of(RunReport(Changes(create=1), steps[:1], (), 0)), terminal=False)

    assert counted == "s0: updated: 1 created (1.0 s)\n"
    assert components == "s0: updated (1.0 s)\n"


def test_a_moved_port_is_shown_with_both_values_before_and_after_it_is_done(fleet: Fleet) -> None:
    fleet.add_stack("eu")
    assert fleet.run("up", "eu", "--yes").returncode == 0
    fleet.server("eu").set_adapter("nfs", port=13049)
    expected = [
        "eu",
        "  ~ Service media/nfs: served, moved from port 12049 to 13049",
        "      spec.ports[0].port: 12049 → 13049",
        "      spec.ports[0].targetPort: 12049 → 13049",
    ]

    previewed, done = fleet.run("preview", "eu"), fleet.run("up", "eu", "--yes")
    again = fleet.run("preview", "eu")

    assert previewed.stdout.splitlines()[:4] == done.stdout.splitlines()[:4] == expected
    assert previewed.stdout.splitlines()[4].startswith("eu: previewed: 1 to update (")
    assert previewed.stderr.splitlines()[-1] == "run `dittoinfra up eu` to apply this"
    assert done.stdout.splitlines()[4].startswith("eu: updated: 1 updated (")
    assert again.stdout.startswith("eu: unchanged (")


def test_an_error_of_a_run_is_told_once(fleet: Fleet) -> None:
    fleet.add_stack("eu", fleet.block("eu", onUnreachable="fail"))
    fleet.server("eu").stop()

    done = fleet.run("up", "eu", "--yes")

    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("the connection was refused") == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[1].startswith("eu: error: media: ")
