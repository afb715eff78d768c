"""The simulated DittoFS servers of a history: events applied to them, and what they answer."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import ServerVersion
from tests.chaos.histories.events import (
    AdapterName,
    Delete,
    Disable,
    FailOnce,
    Restart,
    Serve,
    Stop,
    Trouble,
)
from tests.chaos.histories.oracle import Answer, Reported

PORTS_PATH: Final = "/api/v1/adapters/ports"
FOREVER: Final = 60.0
"""Seconds; longer than any deadline."""

_SERVING = '"enabled":true,"running":true'
_BODIES: Final = {
    Trouble.NULL: "null",
    Trouble.TRUNCATED: '[{"type":"nfs","port":12049,',
    Trouble.TYPE_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"nfs","port":2,{_SERVING}}}]',
    Trouble.PORT_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"smb","port":1,{_SERVING}}}]',
    Trouble.NAME_TWICE: f'[{{"type":"nfs","port":1,{_SERVING}}},{{"type":"NFS","port":2,{_SERVING}}}]',
    Trouble.BAD_PORT: f'[{{"type":"nfs","port":70000,{_SERVING}}}]',
}

ServerEvent = Serve | Stop | Disable | Delete | Restart | FailOnce


class Servers:
    """Both servers, whether configured or not."""

    def __init__(self, simulated: Mapping[str, SimulatedDittoFS]) -> None:
        self._simulated = simulated
        self.trouble: Mapping[str, Trouble] = {}

    @property
    def urls(self) -> Mapping[str, str]:
        """The URL of each server."""
        return {name: server.url for name, server in self._simulated.items()}

    def apply(self, event: ServerEvent) -> None:
        """Apply an event to its server."""
        match event:
            case Serve(adapter, port):
                self._of(adapter).set_adapter(adapter.type, port=port)
            case Stop(adapter, port) if adapter.type in self._of(adapter).adapters:
                self._of(adapter).set_adapter(adapter.type, port=port, running=False)
            case Disable(adapter) if adapter.type in self._of(adapter).adapters:
                self._of(adapter).disable(adapter.type)
            case Delete(adapter) if adapter.type in self._of(adapter).adapters:
                self._of(adapter).remove_adapter(adapter.type)
            case Restart(name):
                self._simulated[name].restart()
            case FailOnce(name):
                self._simulated[name].outage(times=1)
            case _:
                pass  # the adapter does not exist

    def begin(self, trouble: Mapping[str, Trouble]) -> None:
        """Start the faults of one run."""
        self.trouble = trouble
        for name, what in trouble.items():
            _make_trouble(self._simulated[name], what)

    def end(self) -> None:
        """End all faults; a server that was down starts again."""
        for server in self._simulated.values():
            server.normal()
            server.start()
        self.trouble = {}

    def answer(self, name: str) -> Answer:
        """What a server answers in this run; None without a usable answer."""
        if name in self.trouble:
            return None
        adapters = self._simulated[name].adapters
        return {kind: Reported(a.port, a.enabled, a.running) for kind, a in adapters.items()}

    def denies(self, name: str) -> bool:
        """Whether a server refuses the login in this run."""
        return self.trouble.get(name) in (Trouble.UNAUTHORIZED, Trouble.FORBIDDEN)

    def _of(self, adapter: AdapterName) -> SimulatedDittoFS:
        return self._simulated[adapter.server]


@contextmanager
def servers(password: str, versions: Mapping[str, ServerVersion]) -> Iterator[Servers]:
    """New servers with the same administrator."""
    with ExitStack() as running:
        yield Servers(
            {
                name: running.enter_context(SimulatedDittoFS(admin_password=password, version=version))
                for name, version in versions.items()
            }
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
