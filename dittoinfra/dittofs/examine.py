"""More about one API than a poll tells: the role of the login, the certificate, the clock."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import LOOKING, DittoFSClient
from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.parse import parse_role
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.model import Answered, Outcome

ME = "/api/v1/auth/me"


@dataclass(frozen=True, slots=True)
class Examination:
    """What a poll ended in and, where it was answered, what else could be learned."""

    outcome: Outcome
    role: str | None = None
    """Of the login; None where the server does not say."""
    certificate_end: datetime | None = None
    """None without TLS."""
    clock_ahead: timedelta | None = None
    """How far the server's clock is ahead of ours; None where it does not tell the time."""


def examine(access: ApiAccess) -> Examination:
    """Poll one API, and learn more about it. Never raises."""
    return asyncio.run(_examine(access))


async def _examine(access: ApiAccess) -> Examination:
    async with DittoFSClient(access, LOOKING) as client:
        outcome = await client.poll()
        if not isinstance(outcome, Answered):
            return Examination(outcome)
        try:
            async with asyncio.timeout(access.deadline):
                reply = await client.get(ME)
        except (StepError, TimeoutError):
            return Examination(outcome)
    role = parse_role(reply.body) if reply.status == 200 else None
    return Examination(outcome, role, reply.certificate_end, _clock_ahead(reply))


def _clock_ahead(reply: Reply) -> timedelta | None:
    try:
        told = parsedate_to_datetime(reply.header("date") or "")
    except ValueError:
        return None
    return told - datetime.now(UTC) if told.tzinfo is not None else None
