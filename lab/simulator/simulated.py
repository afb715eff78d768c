"""The simulated server itself: its life, and everything a script can tell it."""

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
    """A DittoFS API on loopback that behaves like the real one until it is told not to.

    Everything but the socket exists from construction on and outlives `stop`, as a database does.
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
        """The port while the server is stopped: bound, so that nobody else gets it, and not listening."""
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
        """Listen; after a `stop` on the same port as before."""
        with self._life:
            if self._listener is None:
                self._stopping.clear()
                self._let_go()
                self._listener = Listener(self._port, self, self._tls)
                self._port = self._listener.server_port

    def stop(self) -> None:
        """Refuse connections from now on, like a server that is shut down."""
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
        """The base address; stable once the server has been started for the first time."""
        return f"{'https' if self._tls else 'http'}://{LOOPBACK}:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    # What it has

    @property
    def adapters(self) -> Mapping[str, Adapter]:
        """The adapters by type, as they are now."""
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
        """Make the adapter this at once; by default it keeps its port and config, and runs if enabled."""

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
        """Switch the adapter off, which lasts."""
        self.set_adapter(adapter_type, enabled=False)

    def remove_adapter(self, adapter_type: str) -> None:
        """Delete the adapter, which for nfs and smb lasts until the next start."""
        self._adapters.remove(adapter_type)

    def take_port(self, port: int) -> None:
        """Let another program listen there: no adapter can, whatever the server says of it."""
        self._taken_ports.add(port)

    def free_port(self, port: int) -> None:
        """Let that program go; an adapter that could not listen there waits for an administrator."""
        self._taken_ports.discard(port)

    def hold_restarts(self) -> None:
        """Keep the window of a port change open, until a shutdown gives up on it: a PUT waits."""
        self._adapters.hold_restarts()

    def release_restarts(self) -> None:
        """Let the adapters that were held come up, and close the window."""
        self._adapters.release_restarts()

    def client(
        self, protocol: Protocol, *, mounts: int = 0, handles: int = 0
    ) -> AbstractContextManager[None]:
        """A client that is connected inside the block, with mounts and durable handles of its own."""
        return self._clients.connected(protocol, mounts, handles)

    def add_user(
        self, username: str, password: str, role: Role = "user", *, must_change_password: bool = False
    ) -> None:
        """Add an account; its password has at least eight characters."""
        self._accounts.add(Account(username, password, role, must_change_password=must_change_password))

    def disable_user(self, username: str) -> None:
        """Forbid new logins; tokens that are out already stay good."""
        self._accounts.set_enabled(username, enabled=False)

    # What goes wrong

    def outage(self, *, path: str | None = None, times: int | None = None) -> None:
        """Hang up on every request, or on the next few, or on those for one path."""
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
        """Answer with this instead; a `Content-Length` that is too high makes a truncated answer."""
        raw = body.encode() if isinstance(body, str) else body
        # Closed afterwards: a client that was promised more than it got must not wait for the rest.
        answer = Answer(status, raw, content_type, {**(headers or {}), "Connection": "close"})
        self._script.plan(Say(answer), path, times)

    def delay(self, seconds: float, *, path: str | None = None) -> None:
        """Let every request, or those for one path, wait before it is answered."""
        self._script.delay(seconds, path)

    def normal(self) -> None:
        """Forget every fault and delay."""
        self._script.clear()

    # What it was asked

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, in order; count with `requests.count(("GET", "/health"))`."""
        return self._script.requests

    def forget_requests(self) -> None:
        self._script.forget_requests()

    def respond(self, method: str, path: str, authorization: str | None, body: bytes) -> Answer | None:
        """Answer one request for the listener; None hangs up."""
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
