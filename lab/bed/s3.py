"""A real S3 server on loopback: Versity's gateway, with buckets as folders."""

import secrets
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import httpx

from lab.bed.credentials import credential
from lab.bed.process import Server, start_on_free_port

READY_SECONDS: Final = 60.0
REGION: Final = "us-east-1"
_HEALTH: Final = "/health"


class S3Server:
    """A server for the length of a `with` block; each test uses its own bucket."""

    def __init__(self, binary: Path, directory: Path) -> None:
        self._binary = binary
        self._directory = directory
        self._running = ExitStack()
        self.access_key: Final = f"test-{secrets.token_hex(4)}"
        self.secret_key: Final = credential("of-the-bucket")
        self.port = 0

    @property
    def url(self) -> str:
        """The server's URL."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._buckets.mkdir(parents=True)
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def bucket(self) -> str:
        """Create an empty bucket and return its name."""
        name = f"test-{secrets.token_hex(4)}"
        # Every folder beside the others is a bucket: that is the gateway's own rule.
        (self._buckets / name).mkdir()
        return name

    def objects(self, bucket: str) -> frozenset[str]:
        """The keys of all objects in a bucket."""
        root = self._buckets / bucket
        return frozenset(
            str(path.relative_to(root))
            for path in root.rglob("*")
            # What is being written lies in a folder of the gateway's own.
            if path.is_file() and ".sgwtmp" not in path.parts
        )

    @property
    def _buckets(self) -> Path:
        return self._directory / "buckets"

    def _start(self) -> None:
        server = start_on_free_port(self._launch, self._answers, READY_SECONDS)
        self._running.callback(server.stop)

    def _launch(self, port: int) -> Server:
        self.port = port
        # Not among its arguments, which everybody on the machine can read; and nothing of the caller's.
        keys = {"ROOT_ACCESS_KEY": self.access_key, "ROOT_SECRET_KEY": self.secret_key}
        return Server("versitygw", self._command(), self._directory / "versitygw.log", environment=keys)

    def _command(self) -> list[str | Path]:
        listen = ("--port", f"127.0.0.1:{self.port}", "--region", REGION, "--health", _HEALTH)
        # What S3 knows beside an object's bytes goes into extended attributes. Kept in files of their own, it
        # may be swept away with an empty folder while another object is being written there: a 500.
        return [self._binary, *listen, "posix", self._buckets]

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}{_HEALTH}", trust_env=False).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False
