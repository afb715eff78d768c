"""Whether a DittoFS API answers at an address, before there is a login for it."""

import asyncio

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import too_slow
from dittoinfra.dittofs.http_api import HttpApi, Reply
from dittoinfra.dittofs.parse import InvalidAnswerError, read_json
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.dittofs.text import Secrets, fitted
from dittoinfra.model import Nonsense, Unanswered

HEALTH = "/health"
"""Answers without a login, in every version."""


def check_health(access: ApiAccess) -> Unanswered | None:
    """Why there is no DittoFS API at this address; None where there is one. Asked once, never raises."""
    trouble = asyncio.run(_bounded(access))
    return fitted(trouble) if trouble is not None else None


async def _bounded(access: ApiAccess) -> Unanswered | None:
    api = HttpApi(access, Secrets().hide)
    try:
        async with asyncio.timeout(access.deadline):
            reply = await api.get(HEALTH)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        return too_slow(access)
    finally:
        await api.close()
    return None if reply.status == 200 and _is_json(reply.body) else _no_api(reply, access)


def _is_json(body: bytes) -> bool:
    try:
        return isinstance(read_json(body), dict)
    except InvalidAnswerError:
        return False


def _no_api(reply: Reply, access: ApiAccess) -> Nonsense:
    """Not quoted: it may be the page of anything."""
    return Nonsense(
        f"{reply.subject} is no DittoFS API: it answered HTTP {reply.status}", access.check_setting
    )
