"""The portmapper of a server, which tells NFSv3 clients the port of its nfs adapter. It is off by default."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.ask_servers import ask_servers, refused
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.parse import parse_portmapper
from dittoinfra.model import Unanswered

NFS_SETTINGS = "/api/v1/adapters/nfs/settings"
"""For administrators only, reading included."""


class Portmapper(StrEnum):
    """The state of a portmapper."""

    ON = "on"
    OFF = "off"
    SWITCHED_ON = "switched on"


@dataclass(frozen=True, slots=True)
class SeenPortmapper:
    """A portmapper, and where it listens when it is on."""

    state: Portmapper
    port: int | None = None
    """None where the server does not say it."""


PortmapperOutcome = SeenPortmapper | Unanswered


def portmappers(
    servers: Mapping[str, ApiAccess], max_concurrent: int, *, switch_on: bool
) -> Mapping[str, PortmapperOutcome]:
    """The portmapper of every server, switched on where asked for. Never raises, and asks once."""
    question = _ask_and_switch_on if switch_on else _ask
    return ask_servers(servers, question, max_concurrent)


async def _ask(client: DittoFSClient) -> PortmapperOutcome:
    reply = await client.get(NFS_SETTINGS)
    seen = parse_portmapper(reply.body) if reply.status == 200 else None
    if seen is None:
        return refused(client, reply)
    state = Portmapper.ON if seen.portmapper_enabled else Portmapper.OFF
    return SeenPortmapper(state, seen.portmapper_port or None)


async def _ask_and_switch_on(client: DittoFSClient) -> PortmapperOutcome:
    seen = await _ask(client)
    if not isinstance(seen, SeenPortmapper) or seen.state is Portmapper.ON:
        return seen
    changed = await client.patch(NFS_SETTINGS, {"portmapper_enabled": True})
    return replace(seen, state=Portmapper.SWITCHED_ON) if changed.status == 200 else refused(client, changed)
