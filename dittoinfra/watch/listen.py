"""`/healthz` and `/metrics` over HTTP, in a thread beside the loop, so that a stuck loop can be told."""

import contextlib
import ipaddress
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Self, TypeAlias
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import make_wsgi_app

from dittoinfra.watch.health import Health
from dittoinfra.watch.metrics import Metrics

REQUEST_SECONDS = 10.0
"""A client that says nothing is hung up on."""

MOST_AT_ONCE = 64
"""Connections; the polls of a watch need file descriptors too, and nobody may use them up from outside."""


# The base class serves datagrams too, whose requests are pairs.
_Connection: TypeAlias = socket.socket | tuple[bytes, socket.socket]


class AddressError(Exception):
    """An address that cannot be listened on."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read `127.0.0.1:9402`, `[::1]:9402` or `:9402` for every address."""
        host, colon, port = text.rpartition(":")
        if not colon or not port.isdecimal() or int(port) > 65535:
            raise AddressError(
                f"{text!r} is no address to listen on; give it as 127.0.0.1:9402, or '' for none"
            )
        host = host.removeprefix("[").removesuffix("]") or "0.0.0.0"  # noqa: S104 - said by whoever left it out
        try:
            return cls(str(ipaddress.ip_address(host)), int(port))
        except ValueError:
            raise AddressError(
                f"{host!r} is no IP address to listen on; give it as 127.0.0.1:9402, or '' for none"
            ) from None


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - the base class's, unchanged
        self._open: dict[socket.socket, None] = {}
        self._opening = threading.Lock()
        super().__init__(*arguments, **options)

    def process_request(self, request: _Connection, client_address: object) -> None:
        # The oldest goes: a probe is served in no time, and whoever holds connections only loses them.
        with self._opening:
            self._open[_stream(request)] = None
            oldest = next(iter(self._open)) if len(self._open) > MOST_AT_ONCE else None
            if oldest is not None:
                del self._open[oldest]
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Connection) -> None:
        with self._opening:
            self._open.pop(_stream(request), None)
        super().shutdown_request(request)

    def handle_error(self, request: _Connection, client_address: object) -> None:
        # A client that was too slow, or went away, is no fault of the watch.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Server6(_Server):
    address_family = socket.AF_INET6


def _stream(request: _Connection) -> socket.socket:
    return request[1] if isinstance(request, tuple) else request


class _Quiet(WSGIRequestHandler):
    timeout = REQUEST_SECONDS

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Probes come every few seconds: nobody wants to read of them."""


class Listener:
    """Serves for the length of a `with` block."""

    def __init__(self, address: Address, health: Health, metrics: Metrics) -> None:
        kind = _Server6 if ":" in address.host else _Server
        try:
            self._server = make_server(
                address.host, address.port, _application(health, metrics), kind, _Quiet
            )
        except OSError as error:
            raise AddressError(
                f"cannot listen on {address.host}:{address.port}: {error.strerror or error}; "
                "choose another with --listen"
            ) from None
        self._thread = threading.Thread(
            # It wakes up that often to see whether it should stop, for nothing: so, seldom.
            target=lambda: self._server.serve_forever(poll_interval=1.0),
            name="watch-listener",
            daemon=True,
        )

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


_Environ = dict[str, Any]
_Start = Callable[[str, list[tuple[str, str]]], object]
_Application = Callable[[_Environ, _Start], Iterable[bytes]]


def _application(health: Health, metrics: Metrics) -> _Application:
    numbers: _Application = make_wsgi_app(metrics.registry)

    def application(environ: _Environ, start: _Start) -> Iterable[bytes]:
        match environ.get("PATH_INFO"):
            case "/metrics":
                return numbers(environ, start)
            case "/healthz":
                problems = health.problems()
                status = "503 Service Unavailable" if problems else "200 OK"
                text = "\n".join(problems) or "ok"
            case _:
                status, text = "404 Not Found", "there are /healthz and /metrics"
        start(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [f"{text}\n".encode()]

    return application
