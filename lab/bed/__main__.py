"""`python -m lab.bed` finds or builds each real program; `python -m lab.bed serve [VERSION]` starts them."""

import sys

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.pulumi_cli import Cli
from lab.bed.chromium import find_chromium
from lab.bed.policy_host import policy_host
from lab.bed.postgres import find_postgres
from lab.bed.process import BedError
from lab.bed.serve import dittofs_version, serve
from lab.bed.tmux import find_tmux
from lab.bed.tools import BUILT
from lab.gotools import Progress, StreamProgress, build, find_cli


def main() -> int:
    """Find or build each program, start them with `serve`, or say in one line why that failed."""
    progress = StreamProgress()
    try:
        match sys.argv[1:]:
            case ["serve", *asked]:
                # Before anything is built, which may take long.
                version = dittofs_version(*asked)
                serve(progress, _get_parts(progress), version)
            case _:
                _get_parts(progress)
    except (EngineError, BedError) as error:
        progress.say(f"error: {error}")
        return 1
    return 0


def _get_parts(progress: Progress) -> Cli:
    cli = find_cli(progress)
    progress.say(f"pulumi CLI: v{cli.version}")
    for tool in BUILT:
        build(tool, progress)
        progress.say(f"{tool.name}: {tool.version}")
    progress.say(f"policy host: {policy_host(progress)}")
    progress.say(f"postgres: {find_postgres()}")
    progress.say(f"chromium: {find_chromium()}")
    progress.say(f"tmux: {find_tmux()}")
    return cli


if __name__ == "__main__":
    sys.exit(main())
