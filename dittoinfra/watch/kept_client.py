"""The connection and the login of one server, kept from poll to poll and from run to run."""

from collections.abc import Callable
from typing import Final

from dittoinfra.dittofs import AccessProblems, ApiAccess, NotAsked
from dittoinfra.dittofs.client import DittoFSClient, unexpected
from dittoinfra.model import Outcome, Unreachable

Access = ApiAccess | NotAsked | AccessProblems

MOST_POLLS: Final = 1000
"""On one connection: after those a name is looked up again, and may lead to another server."""


class KeptClient:
    """A client that is made anew when what it was made for has changed, or when it gets no answer."""

    def __init__(self) -> None:
        self._client: DittoFSClient | None = None
        self._made_for: object = None
        self._polls = 0
        self.logged_in = False
        """Whether the last poll had to log in."""

    async def poll(
        self, client_key: object, access: Callable[[], Access], *, anew: bool, keep: bool = True
    ) -> Outcome:
        """What a server says.

        `anew` reads passwords and certificates again and opens a new connection; without `keep` it is closed
        afterwards, and only the login is kept.
        """
        # The same object nearly always: settings are compared only after a run.
        if anew or (client_key is not self._made_for and client_key != self._made_for):
            await self.close()
        self._made_for = client_key
        self.logged_in = self._client is None
        if self._client is None:
            match access():
                case ApiAccess() as found:
                    self._client = DittoFSClient(found)
                case NotAsked() as not_asked:
                    return Unreachable(not_asked.why)
                case AccessProblems(problems):
                    return Unreachable("; ".join(map(str, problems)))
        self._polls += 1
        try:
            outcome = await self._client.poll()
            if not keep or self._polls >= MOST_POLLS:
                self._polls = 0
                # Only the connection goes: the login is still good.
                await self._client.close()
        except Exception as error:  # noqa: BLE001 - no internal error may remove, or stop, anything
            return unexpected(error)
        return outcome

    async def close(self) -> None:
        """Let the next poll read passwords and certificates again."""
        client, self._client, self._polls = self._client, None, 0
        if client is not None:
            await client.close()
