"""The real DittoFS server as a process on loopback."""

import os
import secrets
import ssl
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import httpx
import yaml

from tests.bed import guard
from tests.bed.process import STOP_SECONDS, BedError, free_ports

READY_SECONDS: Final = 60.0
"""It takes less than one on an idle machine."""

_POLL_SECONDS: Final = 0.02
_ATTEMPTS: Final = 3
_QUOTED_LINES: Final = 12
_DEFAULT_ADAPTERS: Final = ("nfs", "smb")


@dataclass(frozen=True)
class Tls:
    """The files for an HTTPS API; with `client_ca` it asks its clients for a certificate."""

    cert_file: Path
    key_file: Path
    ca_file: Path
    client_ca: Path | None = None
    client_cert: tuple[Path, Path] | None = None

    def server_options(self) -> Mapping[str, str]:
        options = {"cert_file": self.cert_file, "key_file": self.key_file, "client_ca": self.client_ca}
        return {name: str(path) for name, path in options.items() if path}

    def client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.ca_file))
        if self.client_cert:
            context.load_cert_chain(*map(str, self.client_cert))
        return context


class RealDittoFS:
    """A `dfs` process with a database of its own, which outlives `stop` and `kill`.

    Its NFS adapter listens on every address of the machine: the program offers no other way.
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
    ) -> None:
        self.admin_password: Final = admin_password or secrets.token_urlsafe()
        self.secret: Final = secrets.token_urlsafe(32)
        self.port = 0
        self._binary = binary
        self._directory = directory
        self._tls = tls
        self._durations = {
            "access_token_duration": access_token_duration,
            "refresh_token_duration": refresh_token_duration,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._client: httpx.Client | None = None
        self._token = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._client:
            self._client.close()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process and wait for its API; a second start finds what the first one left."""
        if self._process is not None:
            return
        if self._client is None:
            self._start_first()
        else:
            self._launch()

    def stop(self) -> None:
        """Ask the process to end, as Kubernetes would."""
        self._end(lambda process: process.terminate())

    def kill(self) -> None:
        """End the process without asking."""
        self._end(lambda process: process.kill())

    def set_port(self, adapter_type: str, port: int) -> None:
        """Move the adapter; returns once it has restarted."""
        self._admin("PUT", f"/adapters/{adapter_type}", {"port": port})

    def enable(self, adapter_type: str) -> None:
        self._admin("PUT", f"/adapters/{adapter_type}", {"enabled": True})

    def disable(self, adapter_type: str) -> None:
        self._admin("PUT", f"/adapters/{adapter_type}", {"enabled": False})

    def add(self, adapter_type: str, port: int) -> None:
        self._admin("POST", "/adapters", {"type": adapter_type, "port": port})

    def delete(self, adapter_type: str) -> None:
        """Delete the adapter, which lasts until the next start."""
        self._admin("DELETE", f"/adapters/{adapter_type}")

    def adapters(self) -> Mapping[str, Mapping[str, Any]]:
        """What `/adapters/ports` says, by type."""
        listed = self._admin("GET", "/adapters/ports").json()
        return {adapter["type"]: adapter for adapter in listed}

    def create_user(
        self, username: str, password: str, role: Literal["admin", "operator", "user"] = "user"
    ) -> None:
        """Add an account; an administrator has to change the password before anything else."""
        self._admin("POST", "/users", {"username": username, "password": password, "role": role})

    def _start_first(self) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            self.port, *adapter_ports = free_ports(1 + len(_DEFAULT_ADAPTERS))
            self._client = self._new_client()
            try:
                self._launch()
                self._wait_until(self._default_adapters_run)
                # Every server begins on the same ports, and a machine has them only once.
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

    def _new_client(self) -> httpx.Client:
        return httpx.Client(
            base_url=self.url,
            verify=self._tls.client_context() if self._tls else False,
            timeout=READY_SECONDS,
            # A proxy of this machine has no business between two processes of it.
            trust_env=False,
        )

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
        guard.watch(self._process.pid)
        try:
            self._wait_until(lambda: bool(self._ready()))
        except BaseException:
            self.kill()
            raise

    def _config(self) -> Mapping[str, object]:
        tls = {"tls": self._tls.server_options()} if self._tls else {}
        return {
            "shutdown_timeout": "5s",
            "database": {"type": "sqlite", "sqlite": {"path": str(self._directory / "controlplane.db")}},
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
        """What the readiness probe says; nothing while nobody answers."""
        try:
            answer = self._http.get("/health/ready")
        except httpx.TransportError:
            return {}
        return answer.json()["data"] if answer.is_success else {}

    def _default_adapters_run(self) -> bool:
        # A change in the middle of the first start would meet the start's own attempt to run the adapter.
        return set(_DEFAULT_ADAPTERS) <= set(self._ready().get("adapters", {}).get("types", ()))

    def _admin(self, method: str, path: str, body: object = None) -> httpx.Response:
        answer = self._with_token(method, path, body)
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            credentials = {"username": "admin", "password": self.admin_password}
            self._token = self._http.post("/api/v1/auth/login", json=credentials).json()["access_token"]
            answer = self._with_token(method, path, body)
        if not answer.is_success:
            raise BedError(f"dfs answered {method} {path} with {answer.status_code}: {answer.text.strip()}")
        return answer

    def _with_token(self, method: str, path: str, body: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return self._http.request(method, f"/api/v1{path}", json=body, headers=headers)

    @property
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
        guard.forget(process.pid)

    @property
    def _log(self) -> Path:
        return self._directory / "dfs.log"

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()[-_QUOTED_LINES:]
        return f"the end of {self._log}:\n" + "\n".join(lines)
