"""The simulated DittoFS servers of a history: what happens to them, and what they would answer."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from lab.simulator import SimulatedDittoFS
from tests.chaos.histories.events import (
    SERVERS,
    Delete,
    Disable,
    Hiccup,
    Place,
    Restart,
    Serve,
    Stop,
    Trouble,
)
from tests.chaos.histories.oracle import Answer, Told

PORTS_PATH: Final = "/api/v1/adapters/ports"
FOREVER: Final = 60.0
"""Seconds that nobody waits for."""

_SERVING = '"enabled":true,"running":true'
_BODIES: Final = {
    Trouble.NULL: "null",
    Trouble.TRUNCATED: '[{"type":"nfs","port":12049,',
    Trouble.TYPE_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"nfs","port":2,{_SERVING}}}]',
    Trouble.PORT_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"smb","port":1,{_SERVING}}}]',
    Trouble.NAME_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"NFS","port":2,{_SERVING}}}]',
    Trouble.BAD_PORT: f'[{{"type":"nfs","port":70000,{_SERVING}}}]',
}

ServerEvent = Serve | Stop | Disable | Delete | Restart | Hiccup


class Servers:
    """Both servers, whether they are configured or not."""

    def __init__(self, simulated: Mapping[str, SimulatedDittoFS]) -> None:
        self._simulated = simulated
        self.trouble: Mapping[str, Trouble] = {}

    @property
    def urls(self) -> Mapping[str, str]:
        """Where each is asked."""
        return {name: server.url for name, server in self._simulated.items()}

    def happen(self, event: ServerEvent) -> None:
        """Let something happen to one of them."""
        match event:
            case Serve(place, port):
                self._of(place).set_adapter(place.type, port=port)
            case Stop(place, port) if place.type in self._of(place).adapters:
                self._of(place).set_adapter(place.type, port=port, running=False)
            case Disable(place) if place.type in self._of(place).adapters:
                self._of(place).disable(place.type)
            case Delete(place) if place.type in self._of(place).adapters:
                self._of(place).remove_adapter(place.type)
            case Restart(name):
                self._simulated[name].restart()
            case Hiccup(name):
                self._simulated[name].outage(times=1)
            case _:
                pass  # it is not there

    def begin(self, trouble: Mapping[str, Trouble]) -> None:
        """The trouble of one run."""
        self.trouble = trouble
        for name, what in trouble.items():
            _make_trouble(self._simulated[name], what)

    def end(self) -> None:
        """Back to normal; one that was down comes up as a restarted server does."""
        for server in self._simulated.values():
            server.normal()
            server.start()
        self.trouble = {}

    def answer(self, name: str) -> Answer:
        """What a server says in this run, if anything."""
        if name in self.trouble:
            return None
        adapters = self._simulated[name].adapters
        return {kind: Told(a.port, a.enabled, a.running) for kind, a in adapters.items()}

    def denies(self, name: str) -> bool:
        """Whether a server refuses the login in this run."""
        return self.trouble.get(name) in (Trouble.UNAUTHORIZED, Trouble.FORBIDDEN)

    def _of(self, place: Place) -> SimulatedDittoFS:
        return self._simulated[place.server]


@contextmanager
def servers(password: str) -> Iterator[Servers]:
    """Fresh servers that all have the same administrator."""
    with ExitStack() as running:
        yield Servers(
            {name: running.enter_context(SimulatedDittoFS(admin_password=password)) for name in SERVERS}
        )


def _make_trouble(server: SimulatedDittoFS, what: Trouble) -> None:
    match what:
        case Trouble.REFUSED:
            server.stop()
        case Trouble.HUNG_UP:
            server.outage()
        case Trouble.HUNG_UP_LATE:
            server.outage(path=PORTS_PATH)
        case Trouble.UNAVAILABLE:
            server.answer_with(503, "down for maintenance", "text/plain")
        case Trouble.SLOW:
            server.delay(FOREVER)
        case Trouble.UNAUTHORIZED:
            server.answer_with(401, "Invalid or expired token", "text/plain")
        case Trouble.FORBIDDEN:
            server.answer_with(403, "Admin access required", "text/plain")
        case Trouble.HTML:
            server.answer_with(200, "<html>please log in</html>", "text/html")
        case _:
            server.answer_with(200, _BODIES[what], path=PORTS_PATH)
