"""The differences between server versions, for the simulator and the tests.

Each version is the previous one with its changes; a new one is added at the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Final


@dataclass(frozen=True, slots=True)
class ServerVersion:
    """One version of the server."""

    number: str
    lists_ports: bool
    """Whether there is `/adapters/ports`, for every role."""
    nfs_max_version: str
    """The highest version of NFS that is offered before an administrator says otherwise."""
    checks_adapters: bool
    """Whether an impossible port and an unknown type are refused (400), before anything is stored."""
    waits_for_listener: bool
    """Whether a start fails where the adapter cannot listen. Otherwise one whose port is in use runs, too."""
    runs_while_stopping: bool
    """What `running` says of an adapter that shall listen elsewhere, until its clients have left."""
    tells_client_details: bool
    """Whether the list of clients says more of each than its protocol, address and times."""

    def __str__(self) -> str:
        return self.number


V0_27: Final = ServerVersion(
    "0.27.0",
    lists_ports=False,
    nfs_max_version="4.1",
    checks_adapters=False,
    waits_for_listener=False,
    runs_while_stopping=False,
    tells_client_details=True,
)
"""Played, but never run here."""
V0_29: Final = replace(V0_27, number="0.29.0", lists_ports=True)
V0_31: Final = replace(
    V0_29,
    number="0.31.1",
    nfs_max_version="4.0",
    checks_adapters=True,
    waits_for_listener=True,
    runs_while_stopping=True,
    tells_client_details=False,
)

TESTED: Final = (V0_29, V0_31)
"""Every version that the simulator is held to by a real server, the oldest first."""


def in_turn(number: int) -> Iterator[ServerVersion]:
    """Each tested version, again and again; the number of a case says which one comes first."""
    return islice(cycle(TESTED), number % len(TESTED), None)
