"""`/healthz` and `/metrics` over HTTP, in a thread beside the loop, so that they answer while it is stuck."""

import asyncio
import contextlib
import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any, TypeAlias
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import make_wsgi_app

from dittoinfra.watch.metrics import Metrics

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

BEAT_SECONDS = 10.0
STUCK_SECONDS = 60.0
"""A loop that has not shown a sign of life for so long is stuck, and not just busy."""

LONGEST_RUN_SECONDS = 30 * 60.0
"""The Kubernetes provider gives up waiting for an object after ten minutes; a run takes no three of those."""


class Health:
    """Written by the loop, read by the `/healthz` handler."""

    def __init__(self) -> None:
        self._beat = time.monotonic()
        self._runs: dict[str, float] = {}

    async def beat(self) -> None:
        """Note periodically that the loop is running."""
        while True:
            self._beat = time.monotonic()
            await asyncio.sleep(BEAT_SECONDS)

    @contextmanager
    def running(self, stack: str) -> Iterator[None]:
        """Note a run of a stack for the length of a `with` block."""
        self._runs[stack] = time.monotonic()
        try:
            yield
        finally:
            del self._runs[stack]

    def problems(self) -> tuple[str, ...]:
        """Every reason to call the watch unhealthy."""
        now = time.monotonic()
        stuck = now - self._beat
        found = [f"the loop has not turned for {stuck:.0f} s"] if stuck > STUCK_SECONDS else []
        for stack, began in sorted(self._runs.items()):
            if now - began > LONGEST_RUN_SECONDS:
                found.append(f"the run of {stack} has taken {(now - began) / 60:.0f} minutes")
        return tuple(found)


REQUEST_SECONDS = 10.0
"""A client that sends nothing is disconnected."""

MOST_AT_ONCE = 64
"""Connections; polls need file descriptors too, and no outside client may use them up."""


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
        host = host.removeprefix("[").removesuffix("]") or "0.0.0.0"  # noqa: S104 - no host means every one
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
        # The oldest is closed: a probe takes no time, and a client that holds connections only loses them.
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
        # A client that was too slow, or disconnected, is no error of the watch.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Server6(_Server):
    address_family = socket.AF_INET6


def _stream(request: _Connection) -> socket.socket:
    return request[1] if isinstance(request, tuple) else request


class _QuietHandler(WSGIRequestHandler):
    timeout = REQUEST_SECONDS

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Log nothing: probes come every few seconds."""


@contextmanager
def serve(address: Address, health: Health, metrics: Metrics) -> Iterator[int]:
    """Serve for the length of a `with` block; the port, or `AddressError`."""
    kind = _Server6 if ":" in address.host else _Server
    try:
        server = make_server(address.host, address.port, _application(health, metrics), kind, _QuietHandler)
    except OSError as error:
        raise AddressError(
            f"cannot listen on {address.host}:{address.port}: {error.strerror or error}; "
            "choose another with --listen"
        ) from None
    # The interval at which it looks whether it should stop: a long one, because each wake-up costs.
    loop = partial(server.serve_forever, poll_interval=1.0)
    threading.Thread(target=loop, name="watch-endpoints", daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _application(health: Health, metrics: Metrics) -> "WSGIApplication":
    metrics_application: WSGIApplication = make_wsgi_app(metrics.registry)

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        match environ.get("PATH_INFO"):
            case "/metrics":
                return metrics_application(environ, start_response)
            case "/healthz":
                problems = health.problems()
                status = "503 Service Unavailable" if problems else "200 OK"
                text = "\n".join(problems) or "ok"
            case _:
                status, text = "404 Not Found", "there are /healthz and /metrics"
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [f"{text}\n".encode()]

    return application
