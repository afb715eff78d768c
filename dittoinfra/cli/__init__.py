"""The command line."""

from dittoinfra.cli.app import main

__all__ = ["main"]
