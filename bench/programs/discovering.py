"""This project's own program: `python -m bench.programs.discovering ROOT STACK OPERATION`."""

import os
import sys
from pathlib import Path

from bench.programs.plain import KnownCommand
from bench.programs.times import told
from dittoinfra.gc_tuning import tune_collector


def main() -> None:
    """Preview or update, and insist on success."""
    tune_collector()
    # As the command does it: what is large is imported afterwards.
    from dittoinfra.stacks.project_stack import ProjectStack

    root, name, operation = sys.argv[1:]
    stack = ProjectStack(KnownCommand(), Path(root), name, dict(os.environ))

    def operate() -> None:
        report = getattr(stack, operation)()
        if not report.ok:
            raise SystemExit("\n".join(report.lines("error")) or "failed without a word")

    told(operate)


if __name__ == "__main__":
    main()
