"""Waits until servers have uploaded everything that they have taken in. For administrators only."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import LOOKING, DittoFSClient, too_slow, unexpected
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.model import Denied, Nonsense, Unanswered

DRAIN = "/api/v1/system/drain-uploads"
"""It answers when everything is uploaded, or when no upload has come to an end for a while."""


def drain(servers: Mapping[str, ApiAccess], patience: float) -> Mapping[str, Unanswered | None]:
    """None for each server that is done within so many seconds, or why it is not. Never raises."""
    # In a thread of its own: the program that calls this runs inside an event loop.
    with ThreadPoolExecutor(1, "uploads") as thread:
        return thread.submit(asyncio.run, _all(servers, patience)).result()


async def _all(servers: Mapping[str, ApiAccess], patience: float) -> Mapping[str, Unanswered | None]:
    waits = (
        _drained(replace(this, deadline=patience, request_timeout=patience)) for this in servers.values()
    )
    return dict(zip(servers, await asyncio.gather(*waits), strict=True))


async def _drained(access: ApiAccess) -> Unanswered | None:
    try:
        async with asyncio.timeout(access.deadline), DittoFSClient(access, LOOKING) as client:
            reply = await client.post(DRAIN, {})
            if reply.status == 200:
                return None
            cause = reply.refusal(client.hide)
            return Denied(cause) if reply.status in (401, 403) else Nonsense(cause)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        return too_slow(access)
    except Exception as error:  # noqa: BLE001 - no bug of this client may stop a run
        return unexpected(error)
