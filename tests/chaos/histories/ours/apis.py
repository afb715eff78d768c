"""The simulated servers of a history: what they answer, and how often they were polled."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import ServerVersion
from tests.chaos.histories.events import Delete, Disable, Serve, Stop
from tests.chaos.histories.oracle import Answer, Reported
from tests.chaos.histories.ours.events import Trouble
from tests.chaos.histories.servers import PORTS_PATH

LONG: Final = "x" * 63
"""A type that no object's name has room for."""

_SERVING = '"enabled":true,"running":true'

ServerEvent = Serve | Stop | Disable | Delete


class Apis:
    """One API per server, whether configured or not."""

    def __init__(self, simulated: Mapping[str, SimulatedDittoFS]) -> None:
        self._simulated = simulated
        self._trouble: dict[str, Trouble] = {}
        for server in simulated.values():
            for kind in tuple(server.adapters):
                server.remove_adapter(kind)

    @property
    def urls(self) -> Mapping[str, str]:
        """The URL of each server."""
        return {name: server.url for name, server in self._simulated.items()}

    def apply(self, event: ServerEvent) -> None:
        """Apply an event to an adapter, if it exists."""
        server, kind = self._simulated[event.adapter.server], event.adapter.type
        match event:
            case Serve(_, port):
                server.set_adapter(kind, port=port)
            case Stop(_, port) if kind in server.adapters:
                server.set_adapter(kind, port=port, running=False)
            case Disable() if kind in server.adapters:
                server.disable(kind)
            case Delete() if kind in server.adapters:
                server.remove_adapter(kind)
            case _:
                pass

    def trouble(self, trouble: Mapping[str, Trouble]) -> None:
        """Let exactly these servers give no usable answer from now on."""
        self._trouble = dict(trouble)
        for name, server in self._simulated.items():
            server.normal()
            if name in trouble:
                _make_trouble(server, trouble[name])

    def answer(self, name: str) -> Answer:
        """What a server answers now; None without a usable answer."""
        if name in self._trouble:
            return None
        adapters = self._simulated[name].adapters
        return {kind: Reported(a.port, a.enabled, a.running) for kind, a in adapters.items()}

    def denies(self, name: str) -> bool:
        """Whether a server refuses the login now."""
        return self._trouble.get(name) in (Trouble.FORBIDDEN, Trouble.UNAUTHORIZED)

    def asked(self) -> Mapping[str, int]:
        """How many usable answers each server has given since the last call."""
        counts = {
            name: 0 if name in self._trouble else server.requests.count(("GET", PORTS_PATH))
            for name, server in self._simulated.items()
        }
        for server in self._simulated.values():
            server.forget_requests()
        return counts


@contextmanager
def apis(password: str, versions: Mapping[str, ServerVersion]) -> Iterator[Apis]:
    """New servers without adapters, with the same administrator."""
    with ExitStack() as running:
        yield Apis(
            {
                name: running.enter_context(SimulatedDittoFS(admin_password=password, version=version))
                for name, version in versions.items()
            }
        )


def _make_trouble(server: SimulatedDittoFS, what: Trouble) -> None:
    match what:
        case Trouble.NULL:
            server.answer_with(200, "null", path=PORTS_PATH)
        case Trouble.HTML:
            server.answer_with(200, "<html>starting</html>", "text/html")
        case Trouble.FORBIDDEN:
            server.answer_with(403, "Admin access required", "text/plain")
        case Trouble.UNAUTHORIZED:
            server.answer_with(401, "Invalid or expired token", "text/plain")
        case Trouble.LONG_TYPE:
            server.answer_with(200, f'[{{"type":"{LONG}","port":4000,{_SERVING}}}]', path=PORTS_PATH)
