"""The flow of one run."""

from dittoinfra.program.errors import ConfigurationRefused, ExitCode, RunRefused, RunStopped
from dittoinfra.program.run import run

__all__ = ["ConfigurationRefused", "ExitCode", "RunRefused", "RunStopped", "run"]
