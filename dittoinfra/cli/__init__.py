"""The command line."""

import sys

from dittoinfra.gc_tuning import tune_collector


def main() -> None:
    """Run the command, and load it while the pulumi CLI is looking for what it needs first."""
    tune_collector()
    from dittoinfra.cli.early_question import ask_before_loading

    ask_before_loading(sys.argv[1:])
    from dittoinfra.cli.app import run_command

    run_command()
