"""The portmapper of a server, which tells NFSv3 clients the port of its nfs adapter. It is off by default."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import LOOKING, DittoFSClient, too_slow
from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.parse import parse_portmapper
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.model import Denied, Nonsense, Unanswered

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
    # In a thread of its own: the program that calls this runs inside an event loop.
    with ThreadPoolExecutor(1, "portmappers") as thread:
        return thread.submit(asyncio.run, _all(servers, max_concurrent, switch_on=switch_on)).result()


async def _all(
    servers: Mapping[str, ApiAccess], max_concurrent: int, *, switch_on: bool
) -> Mapping[str, PortmapperOutcome]:
    turns = asyncio.Semaphore(max_concurrent)

    async def one(access: ApiAccess) -> PortmapperOutcome:
        async with turns:
            return await _bounded(access, switch_on=switch_on)

    return dict(zip(servers, await asyncio.gather(*map(one, servers.values())), strict=True))


async def _bounded(access: ApiAccess, *, switch_on: bool) -> PortmapperOutcome:
    try:
        async with asyncio.timeout(access.deadline), DittoFSClient(access, LOOKING) as client:
            reply = await client.get(NFS_SETTINGS)
            seen = parse_portmapper(reply.body) if reply.status == 200 else None
            if seen is None:
                return _refused(client, reply)
            state = Portmapper.ON if seen.portmapper_enabled else Portmapper.OFF
            if state is Portmapper.OFF and switch_on:
                changed = await client.patch(NFS_SETTINGS, {"portmapper_enabled": True})
                if changed.status != 200:
                    return _refused(client, changed)
                state = Portmapper.SWITCHED_ON
            return SeenPortmapper(state, seen.portmapper_port or None)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        return too_slow(access)


def _refused(client: DittoFSClient, reply: Reply) -> Unanswered:
    cause = reply.refusal(client.hide)
    return Denied(cause) if reply.status in (401, 403) else Nonsense(cause)
