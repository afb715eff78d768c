"""`python -m tools.reference`: write the generated files, or check that they are fresh."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from tools.reference.artefacts import stale, write

_COMMAND = "python -m tools.reference"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; the exit code."""
    parser = ArgumentParser(
        prog=_COMMAND, description="Generate what is said elsewhere about the settings and the commands."
    )
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(), help="the project's folder, here if not given"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    options = parser.parse_args(arguments)
    if not options.check:
        for path in write(options.root):
            sys.stdout.write(f"wrote {path}\n")
        return 0
    found = stale(options.root)
    if found:
        sys.stderr.write(f"error: not what the code says: {', '.join(found)}; run `{_COMMAND}`\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
