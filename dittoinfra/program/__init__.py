"""The flow of one run."""

from dittoinfra.program.run import run

__all__ = ["run"]
