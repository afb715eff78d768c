"""The real DittoFS server as a process on loopback."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import httpx
import yaml
from typing_extensions import override

from lab.bed import process_reaper
from lab.bed.certificates import Tls
from lab.bed.credentials import credential
from lab.bed.default_ports import default_ports
from lab.bed.dittofs import READY_SECONDS, SHUTDOWN_SECONDS, DittoFSServer, client_of, wait_until
from lab.bed.nfs_clients import deaf_client
from lab.bed.nfs_mount import NfsClient
from lab.bed.process import STOP_SECONDS, BedError, another_listener, free_ports
from lab.simulator.versions import V0_29, ServerVersion

if TYPE_CHECKING:
    from lab.bed.smb_session import SmbClient

__all__ = ["RealDittoFS", "Tls"]

_POLL_SECONDS: Final = 0.02
_ATTEMPTS: Final = 3
_QUOTED_LINES: Final = 12
_DEFAULT_ADAPTERS: Final = ("nfs", "smb")
_DATABASE: Final = "controlplane.db"
_EXPORT: Final = "/export"


class RealDittoFS(DittoFSServer):
    """A `dfs` process with its own database, which survives `stop` and `kill`.

    Its NFS adapter listens on all addresses of the machine: the program has no option for that.
    """

    def __init__(
        self,
        binary: Path,
        directory: Path,
        *,
        tls: Tls | None = None,
        access_token_duration: str = "15m",
        refresh_token_duration: str = "168h",
        admin_password: str | None = None,
        shutdown_timeout: float = SHUTDOWN_SECONDS,
        version: ServerVersion = V0_29,
    ) -> None:
        self.version = version
        self.admin_password = admin_password or credential("dfs-admin")
        self.secret: Final = credential("dfs-jwt-secret")
        self.port = 0
        self._binary = binary
        self._directory = directory
        self._tls = tls
        self._shutdown_timeout = shutdown_timeout
        self._durations = {
            "access_token_duration": access_token_duration,
            "refresh_token_duration": refresh_token_duration,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._client: httpx.Client | None = None
        self._smb: SmbClient | None = None

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._client:
            self._client.close()

    @property
    @override
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process id, for tests that pause the process."""
        assert self._process is not None, "it is stopped"
        return self._process.pid

    @override
    def start(self) -> None:
        """Start the process and wait for its API; a second start uses the same database."""
        if self._process is not None:
            return
        if self._client is None:
            self._start_first()
        else:
            self._launch()

    @override
    def stop(self) -> None:
        """Send SIGTERM, as Kubernetes does."""
        self._end(lambda process: process.terminate())

    @contextmanager
    @override
    def stopping(self) -> Iterator[None]:
        process = self._process
        assert process is not None, "it is stopped"
        with self.busy_clients():
            process.terminate()
            yield
            assert process.poll() is None, "it ended before the block; give it a longer shutdown_timeout"
        self.stop()

    @override
    def kill(self) -> None:
        """Send SIGKILL."""
        self._end(lambda process: process.kill())

    @override
    def replace_database(self) -> None:
        """Stop it, and start it with an empty database; adapters have their default ports."""
        self.stop()
        for file in self._directory.glob(f"{_DATABASE}*"):
            file.unlink()
        self.start()

    @override
    def rotate_certificate(self, tls: Tls) -> None:
        """Overwrite the certificate files; the server reloads them."""
        assert self._tls is not None, "there is no certificate to rotate"
        self._tls.key_file.write_bytes(tls.key_file.read_bytes())
        self._tls.cert_file.write_bytes(tls.cert_file.read_bytes())
        self._tls = replace(self._tls, ca_file=tls.ca_file)
        self._http.close()
        self._client = client_of(self.url, self._tls)

    @override
    def busy_clients(self) -> AbstractContextManager[None]:
        return deaf_client(self.port_of("nfs"))

    @contextmanager
    @override
    def nfs_mount(self) -> Iterator[None]:
        self._make_share()
        with NfsClient(self.port_of("nfs"), _EXPORT) as client:
            yield
            client.unmount()

    @override
    def smb_session(self) -> AbstractContextManager[None]:
        return self._smb_client().file_open(self.port_of("smb"))

    @contextmanager
    @override
    def lost_smb_file(self) -> Iterator[None]:
        self._smb_client().lose_file(self.port_of("smb"))
        wait_until(lambda: bool(self.ask("GET", "/durable-handles").json()))
        yield
        with self.smb_session():
            pass

    def _smb_client(self) -> "SmbClient":
        if self._smb is None:
            # Its library takes a tenth of a second to load, and few tests need it.
            from lab.bed.smb_session import SmbClient

            self._make_share()
            # Durable handles need a metadata store that exists when the adapter starts.
            self.disable("smb")
            self.enable("smb")
            wait_until(lambda: self.listens("smb"))
            username, password = "smb-client", credential("smb-client")
            self.create_user(username, password)
            self._smb = SmbClient(_EXPORT.removeprefix("/"), username, password)
        return self._smb

    def _make_share(self) -> None:
        """Create one share, with its stores beside the database, unless it exists."""
        if self.ask("GET", f"/shares{_EXPORT}").is_success:
            return
        stores = {kind: json.dumps({"path": str(self._directory / kind)}) for kind in ("metadata", "blocks")}
        self._admin("POST", "/store/metadata", {"name": "m", "type": "badger", "config": stores["metadata"]})
        self._admin("POST", "/store/block/local", {"name": "b", "type": "fs", "config": stores["blocks"]})
        share = {"name": _EXPORT, "metadata_store_id": "m", "local_block_store": "b"}
        self._admin("POST", "/shares", {**share, "default_permission": "read-write"})

    @override
    def listens(self, adapter_type: str) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port_of(adapter_type))) == 0

    @override
    def taken_port(self) -> AbstractContextManager[int]:
        return another_listener()

    def _start_first(self) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            self.port, *adapter_ports = free_ports(1 + len(_DEFAULT_ADAPTERS))
            self._client = client_of(self.url, self._tls)
            try:
                with default_ports():
                    self._launch()
                    self._wait_until(self._default_adapters_settled)
                    for adapter_type, port in zip(_DEFAULT_ADAPTERS, adapter_ports, strict=True):
                        self.set_port(adapter_type, port)
            except BedError as error:
                self.kill()
                self._client.close()
                # A free port may be taken by somebody else before the server binds it.
                if attempt == _ATTEMPTS or "address already in use" not in str(error):
                    raise
            except BaseException:
                self.kill()
                self._client.close()
                raise
            else:
                return

    def _launch(self) -> None:
        config = self._directory / "config.yaml"
        config.write_text(yaml.safe_dump(self._config()))
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [self._binary, "start", "--foreground", "--config", config],
                cwd=self._directory,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self._directory),
                    "DITTOFS_CONTROLPLANE_SECRET": self.secret,
                    "DITTOFS_ADMIN_INITIAL_PASSWORD": self.admin_password,
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for the tests: they stop their servers in the right order.
                start_new_session=True,
            )
        process_reaper.register(self._process.pid)
        try:
            self._wait_until(lambda: bool(self._ready()))
        except BaseException:
            self.kill()
            raise

    def _config(self) -> Mapping[str, object]:
        tls = {"tls": self._tls.server_options()} if self._tls else {}
        return {
            "shutdown_timeout": f"{self._shutdown_timeout}s",
            "database": {"type": "sqlite", "sqlite": {"path": str(self._directory / _DATABASE)}},
            "controlplane": {"host": "127.0.0.1", "port": self.port, "jwt": self._durations, **tls},
            "gc": {"auto_enabled": False},
        }

    def _wait_until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not holds():
            code = self._process.poll() if self._process else None
            if code is not None:
                raise BedError(f"dfs ended with {code} before it was ready; {self._last_words()}")
            if time.monotonic() > deadline:
                raise BedError(f"dfs was not ready within {READY_SECONDS:g} s; {self._last_words()}")
            time.sleep(_POLL_SECONDS)

    def _ready(self) -> Mapping[str, Any]:
        """The status of the readiness probe; None without an answer."""
        try:
            answer = self._http.get("/health/ready")
        except httpx.TransportError:
            return {}
        return answer.json()["data"] if answer.is_success else {}

    def _default_adapters_settled(self) -> bool:
        # A change in the middle of the first start would meet the start's own attempt to run the adapter. One
        # that waits for listeners is over when the API answers, even where another program has their ports.
        return self.version.waits_for_listener or set(_DEFAULT_ADAPTERS) <= set(
            self._ready().get("adapters", {}).get("types", ())
        )

    @property
    @override
    def _http(self) -> httpx.Client:
        if self._client is None:
            raise BedError("dfs has not been started; use it in a `with` block")
        return self._client

    def _end(self, end: Callable[[subprocess.Popen[bytes]], None]) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process_reaper.unregister(process.pid)

    @property
    def _log(self) -> Path:
        return self._directory / "dfs.log"

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()[-_QUOTED_LINES:]
        return f"the end of {self._log}:\n" + "\n".join(lines)
