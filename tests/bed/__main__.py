"""The real parts: `python -m tests.bed` gets each of them, `python -m tests.bed serve` starts them."""

import sys

from dittoinfra.engine import EngineError, Progress, StreamProgress, build, find_cli
from tests.bed.chromium import find_chromium
from tests.bed.postgres import find_postgres
from tests.bed.process import BedError
from tests.bed.serve import serve
from tests.bed.tools import CONTROLLERS_TOOL, DITTOFS_TOOL, KUBERNETES_TOOL, KWOK_TOOL


def main() -> int:
    """Find or build each part, start them if told to, or say in one line why one cannot be had."""
    progress = StreamProgress()
    try:
        _get_parts(progress)
        if sys.argv[1:] == ["serve"]:
            serve(progress)
    except (EngineError, BedError) as error:
        progress.say(f"error: {error}")
        return 1
    return 0


def _get_parts(progress: Progress) -> None:
    progress.say(f"pulumi CLI: v{find_cli(progress).version}")
    for tool in (DITTOFS_TOOL, KUBERNETES_TOOL, CONTROLLERS_TOOL, KWOK_TOOL):
        build(tool, progress)
        progress.say(f"{tool.name}: {tool.version}")
    progress.say(f"postgres: {find_postgres()}")
    progress.say(f"chromium: {find_chromium()}")


if __name__ == "__main__":
    sys.exit(main())
