"""The command line."""

import gc
import sys

# By default the collector comes after every 700 new objects, and imports make many that stay: it would look
# through them again and again.
gc.set_threshold(20_000)


def main() -> None:
    """Run the command, and load it while the pulumi CLI is looking for what it needs first."""
    from dittoinfra.cli.early_question import ask_before_loading

    ask_before_loading(sys.argv[1:])
    from dittoinfra.cli.app import run_command

    run_command()
