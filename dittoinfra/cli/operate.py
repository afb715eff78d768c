"""What `preview`, `up`, `refresh` and `destroy` refuse before anything is begun."""

import json
import sys

import typer

from dittoinfra.cli.command_errors import UsageError, failed_with
from dittoinfra.cli.options import check_report_folder
from dittoinfra.cli.stack_lookup import check_selection
from dittoinfra.exitcodes import ExitCode
from dittoinfra.request import Operation, Outputs, Request, RunOptions


def operate_on_stacks(context: typer.Context, request: Request) -> None:
    """Do it, show it, and end with the fitting exit code."""
    ask = _must_ask(request)
    check_selection(request.selection)
    if request.plan_file is not None and request.skip_preview:
        raise UsageError("--plan is kept by a preview: it cannot go with --skip-preview")
    _check_outputs(request.outputs)
    _check_policy_packs(request.options)
    # The SDK takes most of a second to import, which a wrong flag need not cost.
    from dittoinfra.cli.operation import run_operation

    run_operation(context, request, ask=ask)


def _must_ask(request: Request) -> bool:
    """Whether to ask for confirmation; refuses where that is required and there is no terminal."""
    if request.operation is Operation.PREVIEW or request.yes or request.skip_preview:
        return False
    as_json = request.outputs.as_json
    if as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        where = "with --json" if as_json else "outside a terminal"
        raise UsageError(
            f"{request.operation} {where} needs --yes (or --skip-preview): there is no terminal to ask at"
        )
    return True


def _check_outputs(outputs: Outputs) -> None:
    """Refuse before the run begins what could only fail after it."""
    if outputs.only_events_on_stdout and outputs.as_json:
        raise UsageError("--events - and --json both want standard output")
    for flag, path in (
        ("--save", outputs.plan),
        ("--report-md", outputs.report_md),
        ("--report-json", outputs.report_json),
        ("--report-html", outputs.report_html),
    ):
        check_report_folder(flag, path)


def _check_policy_packs(options: RunOptions) -> None:
    """Refuse packs and configurations that the engine could not load, all at once."""
    packs, configs = options.policy_packs, options.policy_pack_configs
    wrong = [
        f"--policy-pack {pack}: there is no PulumiPolicy.yaml in that folder"
        for pack in packs
        if not (pack / "PulumiPolicy.yaml").is_file()
    ]
    if configs and len(configs) != len(packs):
        wrong.append(
            f"--policy-pack-config is given {len(configs)} times and --policy-pack {len(packs)} times: "
            "give one configuration for each pack, in the same order, or none"
        )
    for config in configs:
        try:
            json.loads(config.read_bytes())
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else f"is not JSON: {error}"
            wrong.append(f"--policy-pack-config {config}: {why}")
    if wrong:
        raise failed_with(wrong, ExitCode.CONFIGURATION)
