"""What can go wrong on the way to a working engine: one line that says what, where, why, what next."""

import re

from dittoinfra.trouble import TroubleError

_URL_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


class EngineError(TroubleError):
    """The engine, or a part of it, is not available."""


def quoted_output(*lines: str) -> str:
    """Lines of another program's output as one line that is safe to show."""
    # Proxies and module mirrors are often configured as https://user:password@host, and programs quote them.
    return _URL_CREDENTIALS.sub("***@", " | ".join(" ".join(line.split()) for line in lines if line.strip()))
