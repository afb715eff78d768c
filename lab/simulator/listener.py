"""An HTTP listener with one thread per connection."""

import contextlib
import selectors
import socket
import socketserver
import ssl
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Protocol, TypeAlias

from lab.simulator.answers import Answer

LOOPBACK: Final = "127.0.0.1"
_CLOSING_DEADLINE_SECONDS: Final = 5.0

# The base class serves datagrams too, whose requests are pairs.
_Connection: TypeAlias = socket.socket | tuple[bytes, socket.socket]


class Responder(Protocol):
    """Answers requests; None closes the connection without a response."""

    def respond(self, method: str, path: str, authorization: str | None, body: bytes) -> Answer | None: ...


class Listener(ThreadingHTTPServer):
    """Listens on loopback from construction until `close`, one thread per connection."""

    daemon_threads = True
    # The standard library's five would turn a burst of clients into refused connections.
    request_queue_size = 128

    def __init__(self, port: int, responder: Responder, tls: ssl.SSLContext | None) -> None:
        self.responder = responder
        self._tls = tls
        self._connections: set[socket.socket] = set()
        self.accepted = 0
        """Connections so far."""
        self._connections_changed = threading.Condition()
        super().__init__((LOOPBACK, port), _Handler)
        # A client may give up between select and accept, which must then not wait for the next one.
        self.socket.setblocking(False)
        self._wake, self._wakened = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, name="simulated-dittofs", daemon=True)
        self._accepting.start()

    def server_bind(self) -> None:
        # HTTPServer would look up its own name here, and a name service may be slow or out of reach.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        connection.setblocking(True)
        if self._tls:
            # The handshake waits for the connection's own thread: a slow client must not stop the others.
            connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        with self._connections_changed:
            self._connections.add(connection)
            self.accepted += 1
        return connection, address

    def open_connections(self) -> int:
        with self._connections_changed:
            return len(self._connections)

    def shutdown_request(self, request: _Connection) -> None:
        super().shutdown_request(request)
        with self._connections_changed:
            self._connections -= {request}
            self._connections_changed.notify_all()

    def handle_error(self, request: _Connection, client_address: object) -> None:
        # A client that went away, or did not like our certificate, is no fault of this server.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Refuse new connections, close the open ones, and wait for their threads."""
        self._wake.send(b"x")
        self._accepting.join()
        self.server_close()
        self._wake.close()
        self._wakened.close()
        with self._connections_changed:
            for connection in self._connections:
                # The plain socket's shutdown: the TLS one would let a late answer out in the clear.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            if not self._connections_changed.wait_for(
                lambda: not self._connections, _CLOSING_DEADLINE_SECONDS
            ):
                raise TimeoutError(
                    f"the simulated DittoFS on port {self.server_port} still has {len(self._connections)} "
                    f"connections {_CLOSING_DEADLINE_SECONDS:g} s after it cut them; a handler hangs"
                )

    def _accept(self) -> None:
        # Not serve_forever: it looks for its end twice a second, too rarely for one
        # server and too often for a hundred.
        with selectors.DefaultSelector() as ready:
            ready.register(self.socket, selectors.EVENT_READ)
            ready.register(self._wakened, selectors.EVENT_READ)
            while self._wakened not in {key.fileobj for key, _ in ready.select()}:
                self.handle_request()


class _Handler(BaseHTTPRequestHandler):
    """HTTP/1.1 with keep-alive; the responder makes every decision."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Buffered: head and body written apart would meet the peer's delayed acknowledgement, 40 ms each time.
    wbufsize = -1
    server: Listener

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        answer = self.server.responder.respond(self.command, path, self.headers.get("Authorization"), body)
        if answer is None:
            self.close_connection = True
        else:
            self._write(answer)

    # The base class looks its methods up by these names.
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _respond  # noqa: N815 - names of the base class

    def _write(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        self.send_header("Date", self.date_time_string())
        if answer.content_type is not None:
            self.send_header("Content-Type", answer.content_type)
        if "Content-Length" not in answer.headers and answer.status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Log nothing: requests are recorded instead."""
