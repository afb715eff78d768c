"""The command line."""

import gc

# By default the collector comes after every 700 new objects, and imports make many that stay: it would look
# through them again and again.
gc.set_threshold(20_000)

from dittoinfra.cli.app import main  # noqa: E402 - only now

__all__ = ["main"]
