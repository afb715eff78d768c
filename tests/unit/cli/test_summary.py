"""What an operation shows at its end: every change with its values and its reason, and every error once."""

from io import StringIO

from rich.console import Console

from dittoinfra.changes import Changes
from dittoinfra.cli.summary import show_changes, show_summary
from dittoinfra.request import Operation
from dittoinfra.stacks.result import Diagnostic, FleetResult, RunReport, StackResult, Step
from dittoinfra.stacks.shown_values import HIDDEN, Difference
from tests.unit.reports.make import step

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
