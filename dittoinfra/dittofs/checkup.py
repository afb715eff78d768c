"""A closer look at one API than a poll takes: who we are there, its certificate, its clock."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, ConfigDict, ValidationError

from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.ending import StepError
from dittoinfra.dittofs.strictjson import UnbelievableError, read_json
from dittoinfra.dittofs.wire import Reply
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
    """Look at one API. Never raises."""
    return asyncio.run(_examine(access))


async def _examine(access: ApiAccess) -> Examination:
    async with DittoFSClient(access) as client:
        outcome = await client.poll()
        if not isinstance(outcome, Answered):
            return Examination(outcome)
        try:
            async with asyncio.timeout(access.deadline):
                reply = await client.get(ME)
        except (StepError, TimeoutError):
            return Examination(outcome)
    return Examination(outcome, _role(reply), reply.certificate_end, _clock_ahead(reply))


def _role(reply: Reply) -> str | None:
    try:
        return _Me.model_validate(read_json(reply.body)).role if reply.status == 200 else None
    except (UnbelievableError, ValidationError):
        return None


def _clock_ahead(reply: Reply) -> timedelta | None:
    try:
        told = parsedate_to_datetime(reply.headers.get("date", ""))
    except ValueError:
        return None
    return told - datetime.now(UTC) if told.tzinfo is not None else None


class _Me(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    role: str
