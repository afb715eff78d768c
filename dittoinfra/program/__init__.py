"""The flow of one run."""

from dittoinfra import lean_collector  # isort: skip  # noqa: F401 - before everything that is large
from dittoinfra.program.run import run

__all__ = ["run"]
