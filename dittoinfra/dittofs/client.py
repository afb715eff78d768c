"""A DittoFS server's API: polls, and single requests beyond them."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import Self

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.http_api import HttpApi, Reply
from dittoinfra.dittofs.parse import InvalidAnswer, parse_adapters
from dittoinfra.dittofs.poll_errors import FinalError, RefusedError, RetryableError
from dittoinfra.dittofs.session import Session, must_change_password
from dittoinfra.dittofs.text import Hide, Secrets, fitted, quote, seconds
from dittoinfra.model import Answered, Denied, Nonsense, Outcome, Unanswered, Unreachable

PORTS = "/api/v1/adapters/ports"
"""What a plain user may read: types and ports, without any adapter's configuration."""
ADAPTERS = "/api/v1/adapters"
"""What servers before v0.28 have instead, for operators and admins."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before another attempt; full jitter keeps a hundred clients from asking in step."""

    first: float = 0.25
    longest: float = 4.0
    refused: float = 0.25
    """Share of the deadline for trying refused connections again: a restart is short, and a stop is not."""
    random: Callable[[], float] = SystemRandom().random

    def wait(self, attempt: int) -> float:
        """Anything between nothing and the ceiling of this attempt, counted from 0."""
        # Beyond 2**16 every ceiling is the longest one, and huge powers are slow to compute.
        return self.random() * min(self.longest, self.first * 2.0 ** min(attempt, 16))

    def wait_within(self, remaining: float, attempt: int, asked: float | None) -> float | None:
        """How long to wait, or None when the deadline would pass meanwhile.

        A server's own `Retry-After` is a least time: with 0 the backoff still keeps us from hammering it.
        """
        wait = max(self.wait(attempt), asked or 0.0)
        return wait if wait < remaining else None


LOOKING = Backoff(refused=0.0)
"""For commands that only look: a refused connection is what they tell, at once."""


class DittoFSClient:
    """Asks one API; its login lasts for all polls of a run."""

    def __init__(
        self, access: ApiAccess, backoff: Backoff | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._access = access
        self._backoff = backoff or Backoff()
        self._secrets = Secrets()
        self._api = HttpApi(access, self._secrets.hide)
        self._session = Session(access, self._api, self._secrets, clock)
        self._logged_in_again = False
        self._last: tuple[bytes, str, Answered] | None = None
        """The last list that was read, by its bytes and their type: nothing is read twice."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connection back and keep the login: a further poll opens another one."""
        await self._api.close()

    async def poll(self) -> Outcome:
        """What the server says before its deadline; whatever the network or the server does is an outcome."""
        outcome = await self._poll()
        return outcome if isinstance(outcome, Answered) else fitted(outcome)

    async def get(self, path: str) -> Reply:
        """The reply to one question beyond polls, asked once, or `StepError`."""
        return await self._api.get(path, await self._session.token())

    async def get_without_login(self, path: str) -> Reply:
        """The reply to one question that everyone may ask, asked once, or `StepError`."""
        return await self._api.get(path)

    async def post(self, path: str, payload: Mapping[str, str]) -> Reply:
        """The reply to one POST request, sent once, or `StepError`."""
        return await self._api.post(path, payload, await self._session.token())

    async def patch(self, path: str, payload: Mapping[str, bool]) -> Reply:
        """The reply to one PATCH request, sent once, or `StepError`."""
        return await self._api.post(path, payload, await self._session.token(), "PATCH")

    @property
    def hide(self) -> Hide:
        """Takes what this client knows to be secret out of a text."""
        return self._secrets.hide

    def keep_secret(self, secret: str) -> None:
        """Never show this text in a message, even where the server sends it."""
        self._secrets.add(secret)

    async def _poll(self) -> Answered | Unanswered:
        self._logged_in_again = False
        failed: Unanswered | None = None
        attempt = 0
        begin = time.monotonic()
        try:
            async with asyncio.timeout(self._access.deadline):
                while True:
                    try:
                        return await self._list_adapters()
                    except FinalError as error:
                        return error.outcome
                    except RetryableError as error:
                        failed, asked = error.outcome, error.retry_after
                        share = self._backoff.refused if isinstance(error, RefusedError) else 1.0
                    remaining = begin + self._access.deadline * share - time.monotonic()
                    wait = self._backoff.wait_within(remaining, attempt, asked)
                    if wait is None:
                        return failed
                    await asyncio.sleep(wait)
                    attempt += 1
        except TimeoutError:
            # What went wrong before says more than a clock.
            return failed or too_slow(self._access)

    async def _list_adapters(self) -> Answered | Unanswered:
        reply = await self._authorized(PORTS)
        # Before v0.28 this address belonged to an admin-only adapter called "ports": 403, or 404 for admins.
        lacks_ports = reply.status in (403, 404) and not reply.wants_new_password
        if lacks_ports:
            reply = await self._authorized(ADAPTERS)
        return self._adapters(reply, lacks_ports) if reply.status == 200 else self._refused(reply)

    async def _authorized(self, path: str) -> Reply:
        reply = await self.get(path)
        if reply.status != 401:
            return reply
        self._session.drop()
        if self._logged_in_again:
            return reply
        self._logged_in_again = True
        return await self._authorized(path)

    def _adapters(self, reply: Reply, lacks_ports: bool) -> Answered | Nonsense:
        last = self._last
        if last is not None and last[:2] == (reply.body, reply.content_type):
            return last[2]
        match parse_adapters(reply.body, reply.content_type, self.hide):
            case InvalidAnswer(reason):
                return Nonsense(f"{reply.subject}: {reason}", f"{self._access.check_setting}, and its log")
            case adapters:
                answered = Answered(adapters, lacks_ports)
                self._last = reply.body, reply.content_type, answered
                return answered

    def _refused(self, reply: Reply) -> Unanswered:
        user = quote(self._session.login.username)
        cause = reply.refusal(self.hide)
        match reply.status:
            case 401:
                cause += f" after a fresh login as {user}"
                return Denied(cause, "check the server's clock and JWT secret")
            case 403 if reply.wants_new_password:
                return must_change_password(self._session.login, reply.subject)
            case 403:
                return Denied(cause, f"give user {user} the role operator, or upgrade to DittoFS v0.28")
            case _:
                return Nonsense(cause, self._access.check_setting)


def too_slow(access: ApiAccess) -> Unreachable:
    """The outcome where nothing was learned before the deadline."""
    cause = f"{access.shown_url} gave no answer within {seconds(access.deadline)} (api.deadline)"
    return Unreachable(cause, "check the server and the way to it")


def unexpected(error: Exception) -> Unreachable:
    """The outcome where this client itself has failed."""
    # Only its type: the text of an unexpected error may contain anything, even a password.
    return Unreachable(f"internal error: {type(error).__name__}", "please report it")
