"""Whether a DittoFS API answers at an address, before there is a login for it."""

import asyncio

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.ask_servers import ask_server
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.parse import InvalidAnswerError, read_json
from dittoinfra.dittofs.text import fitted
from dittoinfra.model import Nonsense, Unanswered

HEALTH = "/health"
"""Answers without a login, in every version."""


def check_health(access: ApiAccess) -> Unanswered | None:
    """Why there is no DittoFS API at this address; None where there is one. Asked once, never raises."""

    async def check(client: DittoFSClient) -> Nonsense | None:
        reply = await client.get_without_login(HEALTH)
        if reply.status == 200 and _is_json(reply.body):
            return None
        # Its text is not quoted: it may be the page of anything.
        return Nonsense(
            f"{reply.subject} is no DittoFS API: it answered HTTP {reply.status}", access.check_setting
        )

    trouble = asyncio.run(ask_server(access, check))
    return fitted(trouble) if trouble is not None else None


def _is_json(body: bytes) -> bool:
    try:
        return isinstance(read_json(body), dict)
    except InvalidAnswerError:
        return False
