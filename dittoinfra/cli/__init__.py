"""The command line."""

import sys

from dittoinfra import lean_collector  # noqa: F401 - before everything that is large


def main() -> None:
    """Run the command, and load it while the pulumi CLI is looking for what it needs first."""
    from dittoinfra.cli.early_question import ask_before_loading

    ask_before_loading(sys.argv[1:])
    from dittoinfra.cli.app import run_command

    run_command()
