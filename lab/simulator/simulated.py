"""The simulated server, and the methods by which tests control it."""

import secrets
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from lab.simulator.accounts import Account, Accounts, Role
from lab.simulator.adapter import Adapter
from lab.simulator.adapter_table import AdapterTable
from lab.simulator.answers import JSON, Answer
from lab.simulator.api import Lifetimes, Server
from lab.simulator.clients import ClientTable, Protocol
from lab.simulator.listener import LOOPBACK, Listener
from lab.simulator.routes import api_of
from lab.simulator.script import HangUp, Request, Say, Script
from lab.simulator.tokens import TokenSigner
from lab.simulator.versions import V0_29, ServerVersion

_EPHEMERAL: Final = 0


class SimulatedDittoFS:
    """A DittoFS API on loopback that behaves like the real one until a fault is injected.

    Its data exists from construction on and survives `stop`, like a database.
    """

    def __init__(
        self,
        *,
        port: int = _EPHEMERAL,
        tls: ssl.SSLContext | None = None,
        admin_password: str | None = None,
        secret: str | None = None,
        access_lifetime: float = Lifetimes.access,
        refresh_lifetime: float = Lifetimes.refresh,
        shutdown_timeout: float | None = None,
        version: ServerVersion = V0_29,
    ) -> None:
        self.admin_password: Final = admin_password or secrets.token_urlsafe()
        self._port = port
        self._tls = tls
        self._script = Script()
        self._signer = TokenSigner(secret or secrets.token_urlsafe())
        self._lifetimes = Lifetimes(access_lifetime, refresh_lifetime)
        self._version = version
        self._shutdown_timeout = shutdown_timeout
        self._taken_ports: set[int] = set()
        self._clients = ClientTable()
        self._open_new_database()
        self._listener: Listener | None = None
        self._held: socket.socket | None = None
        """The port while the server is stopped: bound, to keep it from other programs, and not listening."""
        self._life = threading.Lock()
        self._stopping = threading.Event()

    # Its life

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._let_go()

    def start(self) -> None:
        """Listen; after a `stop`, on the same port."""
        with self._life:
            if self._listener is None:
                self._stopping.clear()
                self._let_go()
                self._listener = Listener(self._port, self, self._tls)
                self._port = self._listener.server_port

    def stop(self) -> None:
        """Refuse connections from now on."""
        with self._life:
            if self._listener is None:
                return
            self._stopping.set()
            self._adapters.release_restarts()
            self._clients.disconnect_all()
            self._listener.close()
            self._listener = None
            self._hold()
            # What the next start will find, done now: whatever a script says meanwhile has the last word.
            self._adapters.boot()

    def _hold(self) -> None:
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind((LOOPBACK, self._port))

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def restart(self) -> None:
        """Stop and start: deleted default adapters are back, disabled ones stay disabled."""
        self.stop()
        self.start()

    def replace_database(self) -> None:
        """Stop, and start with an empty database: the first start's adapters, and no user but `admin`."""
        self.stop()
        self._open_new_database()
        self.start()

    def _open_new_database(self) -> None:
        self._accounts = Accounts(self.admin_password)
        self._adapters = AdapterTable(self._version, self._taken_ports, self._shutdown_timeout)
        server = Server(
            self._accounts, self._adapters, self._signer, self._lifetimes, self._clients, self._version
        )
        self._api = api_of(server, self._version)

    @property
    def url(self) -> str:
        """The base URL; constant after the first start."""
        return f"{'https' if self._tls else 'http'}://{LOOPBACK}:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    # What it has

    @property
    def adapters(self) -> Mapping[str, Adapter]:
        """The current adapters by type."""
        return self._adapters.snapshot()

    def set_adapter(
        self,
        adapter_type: str,
        *,
        port: int | None = None,
        enabled: bool = True,
        running: bool | None = None,
        config: Mapping[str, JSON] | None = None,
    ) -> None:
        """Set the adapter; by default it keeps its port and config, and runs if enabled."""

        def change(before: Adapter) -> Adapter:
            return replace(
                before,
                port=before.port if port is None else port,
                enabled=enabled,
                running=enabled if running is None else running,
                config=before.config if config is None else config,
            )

        self._adapters.rewrite(adapter_type, change)

    def disable(self, adapter_type: str) -> None:
        """Disable the adapter, permanently."""
        self.set_adapter(adapter_type, enabled=False)

    def remove_adapter(self, adapter_type: str) -> None:
        """Delete the adapter; nfs and smb are back after the next start."""
        self._adapters.remove(adapter_type)

    def take_port(self, port: int) -> None:
        """Let another program listen on a port, so that no adapter can."""
        self._taken_ports.add(port)

    def free_port(self, port: int) -> None:
        """Free the port; an adapter that failed to listen on it is not restarted."""
        self._taken_ports.discard(port)

    def hold_restarts(self) -> None:
        """Keep adapters in the middle of a port change: a PUT waits."""
        self._adapters.hold_restarts()

    def release_restarts(self) -> None:
        """Finish the port changes that were held."""
        self._adapters.release_restarts()

    def client(
        self, protocol: Protocol, *, mounts: int = 0, files: int = 0, lost: bool = False
    ) -> AbstractContextManager[None]:
        """A client with mounts and durable files for the length of the block, connected or `lost`."""
        return self._clients.known(protocol, mounts, files, lost=lost)

    def add_user(
        self, username: str, password: str, role: Role = "user", *, must_change_password: bool = False
    ) -> None:
        """Add an account; its password has at least eight characters."""
        self._accounts.add(Account(username, password, role, must_change_password=must_change_password))

    def disable_user(self, username: str) -> None:
        """Forbid new logins; existing tokens stay valid."""
        self._accounts.set_enabled(username, enabled=False)

    # What goes wrong

    def outage(self, *, path: str | None = None, times: int | None = None) -> None:
        """Close the connection of every request, of the next few, or of those for one path."""
        self._script.plan(HangUp(), path, times)

    def answer_with(
        self,
        status: int,
        body: str | bytes = b"",
        content_type: str | None = "application/json",
        headers: Mapping[str, str] | None = None,
        *,
        path: str | None = None,
        times: int | None = None,
    ) -> None:
        """Answer with this instead; too high a `Content-Length` truncates the answer."""
        raw = body.encode() if isinstance(body, str) else body
        # Closed afterwards: a client that was promised more than it got must not wait for the rest.
        answer = Answer(status, raw, content_type, {**(headers or {}), "Connection": "close"})
        self._script.plan(Say(answer), path, times)

    def delay(self, seconds: float, *, path: str | None = None) -> None:
        """Delay every request, or those for one path."""
        self._script.delay(seconds, path)

    def normal(self) -> None:
        """Remove every fault and delay."""
        self._script.clear()

    # What it was asked

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, in order; count with `requests.count(("GET", "/health"))`."""
        return self._script.requests

    @property
    def accepted_connections(self) -> int:
        """Connections since the last start; requests may share one."""
        return self._listener.accepted if self._listener is not None else 0

    @property
    def open_connections(self) -> int:
        return self._listener.open_connections() if self._listener is not None else 0

    def forget_requests(self) -> None:
        self._script.forget_requests()

    def respond(self, method: str, path: str, authorization: str | None, body: bytes) -> Answer | None:
        """Answer one request for the listener; None closes the connection."""
        self._script.record(Request(method, path))
        if self._stopping.wait(self._script.delay_of(path)):
            return None
        match self._script.next_fault(path):
            case HangUp():
                return None
            case Say(answer):
                return answer
            case None:
                return self._api.answer(method, path, authorization, body)
