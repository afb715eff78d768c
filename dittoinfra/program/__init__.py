"""The flow of one run."""

from pathlib import Path

from dittoinfra.gc_tuning import tune_collector


def run(root: Path) -> None:
    """Run the program of a project, as its `__main__.py` does."""
    tune_collector()
    # Imported here: other modules of this package only read a stack, and need no SDK.
    from dittoinfra.program.engine_run import run_project

    run_project(root)
