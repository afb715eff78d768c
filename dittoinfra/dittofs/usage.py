"""Who uses servers: their clients, mounts and durable handles, which they show to administrators only."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from dittoinfra.adapter_usage import Usage, UsageAnswer
from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import LOOKING, DittoFSClient, too_slow, unexpected
from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.parse import parse_protocols
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.model import Denied, Nonsense, Unanswered

CLIENTS = "/api/v1/clients"
MOUNTS = "/api/v1/mounts"
HANDLES = "/api/v1/durable-handles"

_HANDLES_OF = "smb"
"""Only SMB has durable handles, and their list names no protocol."""


def usages(servers: Mapping[str, ApiAccess], max_concurrent: int) -> Mapping[str, UsageAnswer]:
    """Who uses each of these servers. Never raises, and asks once."""
    # In a thread of its own: the program that calls this runs inside an event loop.
    with ThreadPoolExecutor(1, "usages") as thread:
        return thread.submit(asyncio.run, _all(servers, max_concurrent)).result()


async def _all(servers: Mapping[str, ApiAccess], max_concurrent: int) -> Mapping[str, UsageAnswer]:
    turns = asyncio.Semaphore(max_concurrent)

    async def one(access: ApiAccess) -> UsageAnswer:
        async with turns:
            return await _bounded(access)

    return dict(zip(servers, await asyncio.gather(*map(one, servers.values())), strict=True))


async def _bounded(access: ApiAccess) -> UsageAnswer:
    try:
        async with asyncio.timeout(access.deadline), DittoFSClient(access, LOOKING) as client:
            return await _ask(client)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        return too_slow(access)
    except Exception as error:  # noqa: BLE001 - no bug of this client may stop a run
        return unexpected(error)


async def _ask(client: DittoFSClient) -> UsageAnswer:
    counts: dict[str, Counter[str]] = {}
    for path in (CLIENTS, MOUNTS, HANDLES):
        reply = await client.get(path)
        if reply.status != 200:
            return _refused(client, reply)
        protocols = parse_protocols(reply.body, _HANDLES_OF if path == HANDLES else None)
        if protocols is None:
            return Nonsense(f"{reply.subject}: is no list of what it is asked for")
        counts[path] = Counter(protocols)
    types = {each for found in counts.values() for each in found}
    return {each: Usage(counts[CLIENTS][each], counts[MOUNTS][each], counts[HANDLES][each]) for each in types}


def _refused(client: DittoFSClient, reply: Reply) -> Unanswered:
    cause = reply.refusal(client.hide)
    if reply.status in (401, 403):
        return Denied(
            cause, "log in as an administrator (api.username), or drop reportInUse and protectInUse"
        )
    return Nonsense(cause)
