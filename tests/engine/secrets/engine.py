"""What the engine itself tells where it is asked for everything, and nobody but the engine could keep out.

At `-v=9` it writes down each value that passes it, those of Secrets included; in a trace it writes down every
message, the decrypted configuration included. We never ask for either; whoever does gets files that are as
secret as the stack's secrets. What we hand to nobody must not be in them, and nothing else in the log.
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
    """The engine's log, but what it says at its highest level about the values of Secrets."""
    for path in sorted((root / LOGS).glob("*.log")):
        for line in path.read_bytes().splitlines():
            if not _is_value_of_secret(line):
                yield line


def values_of_secrets(root: Path) -> Iterator[bytes]:
    """The lines that are left out above."""
    for path in sorted((root / LOGS).glob("*.log")):
        yield from filter(_is_value_of_secret, path.read_bytes().splitlines())


def traces(root: Path) -> Iterator[bytes]:
    """What it has traced."""
    return (path.read_bytes() for path in sorted((root / LOGS).glob("*.trace")))


def _is_value_of_secret(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    told = json.loads(line)
    return told.get("v") == 9 and _PASSES in told["msg"] and any(word in told["msg"] for word in _SECRETS)
