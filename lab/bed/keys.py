"""A key service on loopback that speaks as much of Vault's language as the engine does to get a stack's key.

To derive that key from a passphrase is a million rounds of hashing, half of a whole run. Only throwaway
secrets of tests are encrypted with it.
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
        """Say nothing."""


@contextmanager
def key_service() -> Iterator[dict[str, str]]:
    """What an engine's environment needs to find the service, as long as it runs."""
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
