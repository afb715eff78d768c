"""`python -m lab.demo`: run the demo."""

import json
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dittoinfra.cli.interrupts import SIGNALS, Cancelled, raise_cancelled
from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.exitcodes import ExitCode
from lab.demo import SCENES, FolderTakenError, SceneError, play, show, stage
from lab.gotools import StreamProgress, find_cli


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; errors end in one line and an exit code."""
    options = _parser().parse_args(arguments)
    for number in SIGNALS:
        signal.signal(number, raise_cancelled)
    try:
        _play(options)
    except (EngineError, FolderTakenError, SceneError) as error:
        sys.stderr.write(f"error: {error}\n")
        return ExitCode.GENERIC
    except Cancelled:
        sys.stderr.write("cancelled\n")
        return ExitCode.CANCELLED
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m lab.demo",
        description="Walk a stack through its life: no cluster, no account and no server needed. The engine "
        "is the real one. The DittoFS server is simulated, and a stand-in for the Kubernetes provider writes "
        "manifests into the folder instead of talking to a cluster.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per scene")
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        default=Path(".demo"),
        help="where manifests, project and state are left to be looked at (default: %(default)s)",
    )
    return parser


def _play(options: Namespace) -> None:
    cli = find_cli(StreamProgress())
    console = Console()
    with stage(options.folder.absolute(), cli) as set_up:
        for number, played in enumerate(play(set_up), start=1):
            if options.json:
                sys.stdout.write(json.dumps(played.as_json()) + "\n")
                sys.stdout.flush()
            else:
                show(console, number, len(SCENES), played)
    if not options.json:
        console.print(f"\nManifests of every scene: [bold]{options.folder / 'manifests'}")


if __name__ == "__main__":
    sys.exit(main())
