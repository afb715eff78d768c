"""A DittoFS server as we know it: something that can be asked for its adapters."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.asking import Asking
from dittoinfra.dittofs.retry import Backoff
from dittoinfra.dittofs.session import Session
from dittoinfra.dittofs.wire import Wire
from dittoinfra.dittofs.wording import Secrets
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
        await self._wire.close()

    async def poll(self) -> Outcome:
        """What the server serves; whatever the network or the server does ends in an outcome."""
        asking = Asking(self._access, self._wire, self._session, self._backoff, self._secrets.hide)
        return await asking.outcome()
