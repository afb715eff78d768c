"""What a command line asks for, as the one request that is handed down."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from dittoinfra.cli.app import app
from dittoinfra.request import Operation, Outputs, Request, RunOptions, Selection


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("preview", Request(Operation.PREVIEW)),
        (
            "preview dev prod-* --save x.plan --diff -v --report-md r.md --events -",
            Request(
                Operation.PREVIEW,
                Selection(("dev", "prod-*")),
                RunOptions(diff=True),
                Outputs(verbose=True, plan=Path("x.plan"), report_md=Path("r.md"), events="-"),
            ),
        ),
        (
            "up --all --tag ring=1 --tag eu -r -p 3 -m why --wait 0 --at-once 2 --break-lock",
            Request(
                Operation.UP,
                Selection(every=True, tags=("ring=1", "eu")),
                RunOptions(refresh=True, parallel=3, message="why"),
                at_once=2,
                wait=0.0,
                break_lock=True,
            ),
        ),
        (
            "up --plan x.plan -y --kubernetes-events",
            Request(
                Operation.UP, outputs=Outputs(kubernetes_events=True), yes=True, plan_file=Path("x.plan")
            ),
        ),
        (
            "up -y --policy-pack a --policy-pack b --policy-pack-config a.json --policy-pack-config b.json",
            Request(
                Operation.UP,
                options=RunOptions(
                    policy_packs=(Path("a"), Path("b")), policy_pack_configs=(Path("a.json"), Path("b.json"))
                ),
                yes=True,
            ),
        ),
        (
            "refresh -f --expect-no-changes -t urn:a -t urn:b",
            Request(
                Operation.REFRESH,
                options=RunOptions(targets=("urn:a", "urn:b"), expect_no_changes=True),
                skip_preview=True,
            ),
        ),
        (
            "destroy -y --remove --json --report-json r.json --report-html r.html",
            Request(
                Operation.DESTROY,
                outputs=Outputs(as_json=True, report_json=Path("r.json"), report_html=Path("r.html")),
                yes=True,
                remove=True,
            ),
        ),
    ],
)
def test_flags_make_one_request(monkeypatch: pytest.MonkeyPatch, line: str, asked: Request) -> None:
    handed_down: list[Request] = []

    def operate(context: typer.Context, request: Request) -> None:
        handed_down.append(request)

    monkeypatch.setattr(f"dittoinfra.cli.{asked.operation}.operate_on_stacks", operate)

    done = CliRunner().invoke(app, line.split())

    assert done.exit_code == 0, done.output
    assert handed_down == [asked]


@pytest.mark.parametrize(
    "line",
    [
        "preview --yes",
        "refresh --policy-pack a",
        "destroy --policy-pack a",
        "preview --skip-preview",
        "preview --kubernetes-events",
        "refresh --refresh",
        "destroy --expect-no-changes",
        "status --diff",
        "watch --yes",
    ],
)
def test_a_flag_that_means_nothing_to_a_command_is_none_of_its_flags(line: str) -> None:
    done = CliRunner().invoke(app, line.split())

    assert done.exit_code == 2
    assert "No such option" in done.output
