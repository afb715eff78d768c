"""One poll: which address is asked, what each status means, and when to ask again."""

import asyncio
import time
from dataclasses import dataclass, field

from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.ending import FinalError, PassingError
from dittoinfra.dittofs.parse import Refused, parse_adapters
from dittoinfra.dittofs.problem import says, wants_new_password
from dittoinfra.dittofs.retry import Backoff, next_wait
from dittoinfra.dittofs.session import Session, is_it_dittofs, must_change_password
from dittoinfra.dittofs.wire import LONGEST_SHOWN_URL, Reply, Wire
from dittoinfra.dittofs.wording import Hide, cut, line, quote, seconds
from dittoinfra.model import Answered, Denied, Nonsense, Outcome, Unanswered, Unreachable

PORTS = "/api/v1/adapters/ports"
"""What a plain user may read: types and ports, without any adapter's configuration."""
ADAPTERS = "/api/v1/adapters"
"""What servers before v0.28 have instead, for operators and admins."""


@dataclass(slots=True)
class Asking:
    """The life of one poll."""

    access: ApiAccess
    wire: Wire
    session: Session
    backoff: Backoff
    hide: Hide
    _logged_in_again: bool = field(default=False, init=False)
    _last: Unanswered | None = field(default=None, init=False)

    async def outcome(self) -> Outcome:
        """What the server says before its deadline, or what kept it from saying anything."""
        try:
            async with asyncio.timeout(self.access.deadline):
                return await self._until_answered()
        except TimeoutError:
            # What went wrong before says more than a clock.
            return self._last or self._too_slow()

    async def _until_answered(self) -> Outcome:
        end = time.monotonic() + self.access.deadline
        attempt = 0
        while True:
            try:
                return self._judge(await self._list())
            except FinalError as error:
                return error.outcome
            except PassingError as error:
                self._last, asked = error.outcome, error.retry_after
            wait = next_wait(self.backoff, attempt, asked, end - time.monotonic())
            if wait is None:
                return self._last
            await asyncio.sleep(wait)
            attempt += 1

    async def _list(self) -> Reply:
        reply = await self._authorized(PORTS)
        # Before v0.28 this address belonged to an admin-only adapter called "ports": 403, or 404 for admins.
        if reply.status in (403, 404) and not wants_new_password(reply):
            reply = await self._authorized(ADAPTERS)
        return reply

    async def _authorized(self, path: str) -> Reply:
        reply = await self.wire.get(path, await self.session.token())
        if reply.status != 401:
            return reply
        self.session.drop()
        if self._logged_in_again:
            return reply
        self._logged_in_again = True
        return await self._authorized(path)

    def _judge(self, reply: Reply) -> Outcome:
        if reply.status == 200:
            return self._read(reply)
        user = quote(self.session.login.username)
        cause = f"{reply.subject} answered HTTP {reply.status}{says(reply, self.hide)}"
        match reply.status:
            case 401:
                return Denied(
                    line(f"{cause} after a fresh login as {user}", "check the server's clock and JWT secret")
                )
            case 403 if wants_new_password(reply):
                return must_change_password(self.session.login, reply.subject)
            case 403:
                return Denied(line(cause, f"give user {user} the role operator, or upgrade to DittoFS v0.28"))
            case _:
                return Nonsense(line(cause, is_it_dittofs(self.access)))

    def _read(self, reply: Reply) -> Answered | Nonsense:
        match parse_adapters(reply.body, reply.content_type, self.hide):
            case Refused(reason):
                return Nonsense(
                    line(f"{reply.subject}: {reason}", f"{is_it_dittofs(self.access)}, and its log")
                )
            case adapters:
                return Answered(adapters)

    def _too_slow(self) -> Unreachable:
        shown = cut(self.access.url, LONGEST_SHOWN_URL)
        cause = f"{shown} gave no answer within {seconds(self.access.deadline)} (api.deadline)"
        return Unreachable(line(cause, "check the server and the way to it"))
