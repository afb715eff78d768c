"""A DittoFS server as we know it: something that can be asked for its adapters."""

import json
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.asking import Asking
from dittoinfra.dittofs.retry import Backoff
from dittoinfra.dittofs.session import Session
from dittoinfra.dittofs.wire import Reply, Wire
from dittoinfra.dittofs.wording import Hide, Secrets
from dittoinfra.model import Outcome


class DittoFSClient:
    """Asks one API; its login lasts for all polls of a run."""

    def __init__(
        self,
        access: ApiAccess,
        backoff: Backoff | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._access = access
        self._backoff = backoff or Backoff()
        self._secrets = Secrets()
        self._wire = Wire(access, self._secrets.hide)
        self._session = Session(access, self._wire, self._secrets, clock)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connection back and keep the login: a further poll opens another one."""
        await self._wire.close()

    async def poll(self) -> Outcome:
        """What the server serves; whatever the network or the server does ends in an outcome."""
        asking = Asking(self._access, self._wire, self._session, self._backoff, self._secrets.hide)
        return await asking.outcome()

    async def get(self, path: str) -> Reply:
        """The reply to one question beyond polls, asked once, or `StepError`."""
        return await self._wire.get(path, await self._session.token())

    async def post(self, path: str, payload: Mapping[str, str]) -> Reply:
        """The reply to one order, given once, or `StepError`."""
        content = json.dumps(dict(payload)).encode("ascii")
        return await self._wire.post(path, content, await self._session.token())

    @property
    def hide(self) -> Hide:
        """Takes what this client knows to be secret out of a text."""
        return self._secrets.hide

    def keep_secret(self, secret: str) -> None:
        """Never show this, whoever says it."""
        self._secrets.add(secret)
