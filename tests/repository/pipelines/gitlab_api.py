"""As much of GitLab's API as a pipeline needs to write a note."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

OURS, STRANGER = 42, 7
"""Users: the one whose token asks, and another."""


class GitLab(ThreadingHTTPServer):
    """Keeps notes, and who asked for what."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.notes: dict[int, str] = {}
        self.authors: dict[int, int] = {}
        """Who wrote a note, where it was not the token's user."""
        self.requests: list[tuple[str, str, str | None]] = []
        """Method, path and token of every request."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v4"


class _Handler(BaseHTTPRequestHandler):
    server: GitLab

    def do_GET(self) -> None:
        if self.path.endswith("/user"):
            self._answer({"id": OURS})
            return
        authors = self.server.authors
        self._answer(
            [
                {"id": key, "body": body, "author": {"id": authors.get(key, OURS)}}
                for key, body in self.server.notes.items()
            ]
        )

    def do_POST(self) -> None:
        self._keep(len(self.server.notes) + 1)

    def do_PUT(self) -> None:
        self._keep(int(self.path.rpartition("/")[2]))

    def _keep(self, key: int) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.notes[key] = parse_qs(sent)["body"][0]
        self._answer({"id": key})

    def _answer(self, body: object) -> None:
        self.server.requests.append((self.command, self.path, self.headers["PRIVATE-TOKEN"]))
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Log nothing."""


@contextmanager
def gitlab() -> Iterator[GitLab]:
    """A GitLab on loopback."""
    with GitLab() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
