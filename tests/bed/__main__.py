"""`python -m tests.bed`: gets every real part before the tests need it, with progress that a person sees."""

import sys

from dittoinfra.engine import EngineError, StreamProgress, build, find_cli
from tests.bed.chromium import find_chromium
from tests.bed.postgres import find_postgres
from tests.bed.process import BedError
from tests.bed.tools import CONTROLLERS_TOOL, DITTOFS_TOOL, KUBERNETES_TOOL, KWOK_TOOL


def main() -> int:
    """Find or build each part, or say in one line why one cannot be had."""
    progress = StreamProgress()
    try:
        progress.say(f"pulumi CLI: v{find_cli(progress).version}")
        for tool in (DITTOFS_TOOL, KUBERNETES_TOOL, CONTROLLERS_TOOL, KWOK_TOOL):
            build(tool, progress)
            progress.say(f"{tool.name}: {tool.version}")
        progress.say(f"postgres: {find_postgres()}")
        progress.say(f"chromium: {find_chromium()}")
    except (EngineError, BedError) as error:
        progress.say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
