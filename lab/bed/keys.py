"""A key service on loopback: the part of Vault's API that the engine uses to decrypt a stack's key.

Deriving that key from a passphrase takes half of the time of a run. Only test secrets are encrypted with it.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lab.bed.credentials import credential

PROVIDER = "hashivault://tests"
"""How a stack names it."""

_MARK = "vault:v1:"


class _Handler(BaseHTTPRequestHandler):
    """Wraps and unwraps keys; the key itself is the ciphertext."""

    def do_PUT(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "/encrypt/" in self.path:
            answer = {"ciphertext": f"{_MARK}{asked['plaintext']}"}
        else:
            answer = {"plaintext": asked["ciphertext"].removeprefix(_MARK)}
        body = json.dumps({"data": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT  # noqa: N815 - a name of the base class

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Log nothing."""


@contextmanager
def key_service() -> Iterator[dict[str, str]]:
    """Environment variables for an engine to use the service, for the length of a `with` block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="key-service")
        thread.start()
        try:
            yield {
                "VAULT_SERVER_URL": f"http://127.0.0.1:{server.server_port}",
                "VAULT_SERVER_TOKEN": credential("key-service"),
            }
        finally:
            server.shutdown()
            thread.join()
