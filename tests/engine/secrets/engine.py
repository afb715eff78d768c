"""The engine's own verbose logs and traces, which contain secrets by design.

At `-v=9` the engine logs every value, including those of Secrets; a trace has every message, including the
decrypted configuration. The product never enables either. Credentials that are never given to the engine must
not be in them, and the log must contain no others.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LOGS: Final = "engine"
"""Folder of the logs and traces."""

_PASSES: Final = "arshaling property for RPC["
_SECRETS: Final = ("kubernetes:core/v1:Secret", "pulumi:pulumi:readStackResourceOutputs")
"""Where Secrets pass: when they are declared, and when the last state is read."""


def log_lines(root: Path) -> Iterator[bytes]:
    """The engine's log without the lines on values of Secrets at its highest level."""
    for path in sorted((root / LOGS).glob("*.log")):
        for line in path.read_bytes().splitlines():
            if not _is_value_of_secret(line):
                yield line


def values_of_secrets(root: Path) -> Iterator[bytes]:
    """The lines that `log_lines` leaves out."""
    for path in sorted((root / LOGS).glob("*.log")):
        yield from filter(_is_value_of_secret, path.read_bytes().splitlines())


def traces(root: Path) -> Iterator[bytes]:
    """The engine's traces."""
    return (path.read_bytes() for path in sorted((root / LOGS).glob("*.trace")))


def _is_value_of_secret(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    told = json.loads(line)
    return told.get("v") == 9 and _PASSES in told["msg"] and any(word in told["msg"] for word in _SECRETS)
