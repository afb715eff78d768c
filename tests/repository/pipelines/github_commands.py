"""What GitHub's runner takes for commands in what a step prints."""

import re

_AT_THE_START = re.compile(r"\s*::(?P<command>[a-z-]+)( [^:]*)?::(?P<value>.*)")
_ANYWHERE = re.compile(r".*##\[(?P<command>[a-z-]+)( [^\]]*)?\](?P<value>.*)")
"""The older form, which the runner still obeys, wherever in a line it stands."""


def commands(printed: str) -> list[str]:
    """Every command that the runner obeys, in order, up to the one that stops it from obeying more."""
    obeyed: list[str] = []
    token: str | None = None
    for line in printed.splitlines():
        if token is not None:
            token = None if line.strip() == f"::{token}::" else token
        elif found := _AT_THE_START.fullmatch(line) or _ANYWHERE.fullmatch(line):
            obeyed.append(found["command"])
            token = found["value"] if found["command"] == "stop-commands" else None
    return obeyed
