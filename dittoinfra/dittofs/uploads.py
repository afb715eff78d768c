"""Waits until servers have uploaded everything that they have taken in. For administrators only."""

from collections.abc import Mapping
from dataclasses import replace

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.ask_servers import ask_servers, refused
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.model import Unanswered

DRAIN = "/api/v1/system/drain-uploads"
"""It answers when everything is uploaded, or when no upload has come to an end for a while."""


def drain(servers: Mapping[str, ApiAccess], patience: float) -> Mapping[str, Unanswered | None]:
    """None for each server that is done within so many seconds, or why it is not. Never raises."""
    patient = {
        name: replace(access, deadline=patience, request_timeout=patience) for name, access in servers.items()
    }
    return ask_servers(patient, _drained, max_concurrent=len(patient))


async def _drained(client: DittoFSClient) -> Unanswered | None:
    reply = await client.post(DRAIN, {})
    return None if reply.status == 200 else refused(client, reply)
