"""The real ExternalDNS, one pass at a time, and a fake of the DNS provider behind it."""

import json
import os
import subprocess
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from lab.bed.process import BedError

PASS_SECONDS: Final = 60.0
_MEDIA_TYPE: Final = "application/external.dns.webhook+json;version=1"


class FakeDnsProvider:
    """A fake: records in memory, and the webhook API by which every version of ExternalDNS writes them.

    It outlives the passes, as a zone does, and notes what it was asked to delete.
    """

    def __init__(self) -> None:
        self._records: dict[tuple[str, str], dict[str, Any]] = {}
        self.deleted: list[str] = []
        """Host names of the records that were deleted, in order."""

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def records(self) -> Mapping[str, list[str]]:
        """Every record: `A nfs.example.com` and where it leads."""
        return {f"{kind} {name}": sorted(it["targets"]) for (name, kind), it in sorted(self._records.items())}

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, name="fake-dns", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def listed(self) -> list[dict[str, Any]]:
        """Every record as the API has it."""
        return list(self._records.values())

    def apply(self, changes: Mapping[str, list[dict[str, Any]]]) -> None:
        """Do what a pass has planned."""
        for record in changes.get("delete", ()):
            del self._records[_key(record)]
            self.deleted.append(record["dnsName"])
        for record in (*changes.get("create", ()), *changes.get("updateNew", ())):
            self._records[_key(record)] = record


class ExternalDns:
    """One version of ExternalDNS, which looks at the Services of one namespace."""

    def __init__(self, binary: Path, kubeconfig: Path, namespace: str, provider: FakeDnsProvider) -> None:
        self._binary = binary
        self._arguments = (
            "--source=service",
            "--provider=webhook",
            "--registry=noop",
            # It deletes every record that no Service asks for: what it keeps, it was asked to keep.
            "--policy=sync",
            f"--webhook-provider-url={provider.url}",
            f"--kubeconfig={kubeconfig}",
            f"--namespace={namespace}",
        )

    def sync(self, *arguments: str) -> None:
        """Make one pass."""
        done = subprocess.run(
            [self._binary, *self._arguments, *arguments],
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=PASS_SECONDS,
            check=False,
        )
        if done.returncode:
            raise BedError(f"{self._binary} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _key(record: Mapping[str, Any]) -> tuple[str, str]:
    return record["dnsName"], record["recordType"]


def _handler(provider: FakeDnsProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # The first question is for the domains that it answers for: all of them.
            self._say(provider.listed() if self.path == "/records" else {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/records":
                provider.apply(body)
                self._say(None)
            else:
                self._say(body)

        def _say(self, answer: object) -> None:
            self.send_response(204 if answer is None else 200)
            self.send_header("Content-Type", _MEDIA_TYPE)
            self.end_headers()
            if answer is not None:
                self.wfile.write(json.dumps(answer).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            """Say nothing."""

    return Handler
