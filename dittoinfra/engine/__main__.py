"""`python -m dittoinfra.engine`: which pulumi CLI is used here."""

import sys

from dittoinfra.engine.errors import EngineError
from dittoinfra.engine.find import find_cli
from dittoinfra.engine.progress import StreamProgress


def main() -> int:
    """Say where the CLI is and which version it has, or in one line why there is none."""
    try:
        cli = find_cli(StreamProgress())
    except EngineError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(f"{cli.path} v{cli.version}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
