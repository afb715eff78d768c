"""Asking servers before the engine has said what the configuration is: it takes longer to start than they do.

What a stack's file says is what the engine nearly always hands over. Where it is not - a value came from
elsewhere - nothing that was answered too early is used, and everybody is asked again.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dittoinfra.dittofs import ApiAccess, Polling
from dittoinfra.model import Listing
from dittoinfra.program.access import resolve_all
from dittoinfra.program.inquiry import Asking, LiveInquiry, LivePolls
from dittoinfra.program.surroundings import Surroundings
from dittoinfra.projectfile import project_defaults, read_project, written_values
from dittoinfra.settings import (
    ServerSettings,
    StackSettings,
    effective_servers,
    load,
)


@dataclass(slots=True, eq=False)
class EarlyInquiry:
    """Asks the world itself, and has asked the servers already where a stack's file says all about them."""

    live: LiveInquiry
    asked: tuple[ServerSettings, ...] = ()
    at_once: int = 0
    polling: Polling | None = None
    """What was begun, until somebody takes it over."""

    @classmethod
    def begin(cls, root: Path, stack: str, environ: Mapping[str, str]) -> "EarlyInquiry":
        """Begin to ask whoever can be asked, and return at once; nobody where anything is in doubt."""
        live = LiveInquiry(root, environ)
        try:
            settings = load(_written(root, stack), ())
            servers = effective_servers(settings, ())
            # No password and no cluster: what both could tell is not in the file, or not in the clear.
            access = resolve_all(servers, {}, environ, root, None)
        except Exception:  # noqa: BLE001 - what is wrong with the files, the engine finds and tells
            return cls(live)
        ways = {name: way for name, way in access.items() if isinstance(way, ApiAccess)}
        if settings.servers_from or not servers or len(ways) < len(servers):
            return cls(live)
        at_once = settings.max_concurrent_polls
        return cls(live, tuple(servers), at_once, Polling.start(ways, at_once))

    def close(self) -> None:
        """End what nobody has taken over."""
        if self.polling is not None:
            self.polling.close()

    def list_servers(self, stack: StackSettings) -> tuple[Listing, ...]:
        """Ask the provider's cluster."""
        return self.live.list_servers(stack)

    def ask(self, stack: StackSettings, servers: Sequence[ServerSettings], found: Collection[str]) -> Asking:
        """Go on with what was begun, if these servers are to be asked, and like this; else ask them now."""
        polling, self.polling = self.polling, None
        if polling is None:
            return self.live.ask(stack, servers, found)
        if found or (tuple(servers), stack.max_concurrent_polls) != (self.asked, self.at_once):
            polling.close()
            return self.live.ask(stack, servers, found)
        return LivePolls(servers, polling)

    def look_around(self, servers: Sequence[ServerSettings], unlocated: Sequence[str]) -> Surroundings:
        """Ask the provider's cluster."""
        return self.live.look_around(servers, unlocated)


def _written(root: Path, stack: str) -> Mapping[str, str]:
    """The stack's configuration as the engine would hand it over, without what is encrypted in it."""
    prefix = f"{read_project(root).get('name')}:"
    values = {**project_defaults(root), **written_values(root, stack)}
    return {
        key.removeprefix(prefix): value if isinstance(value, str) else json.dumps(value)
        for key, value in values.items()
        if key.startswith(prefix) and not _encrypted(value)
    }


def _encrypted(value: object) -> bool:
    match value:
        case {"secure": _}:
            return True
        case Mapping():
            return any(map(_encrypted, value.values()))
        case list():
            return any(map(_encrypted, value))
        case _:
            return False
