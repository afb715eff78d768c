"""The common interface of the real and the simulated DittoFS server in tests."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Literal, Self

import httpx

from lab.bed.certificates import Tls
from lab.bed.process import BedError
from lab.simulator.versions import ServerVersion

READY_SECONDS: Final = 60.0
"""A real server takes less than one on an idle machine."""

SHUTDOWN_SECONDS: Final = 30.0
"""The server's own default: how long an adapter that shall move waits for clients which do not leave."""

_POLL_SECONDS: Final = 0.02


class DittoFSServer(ABC):
    """Starting and stopping differ between both servers; administration through the API does not."""

    version: ServerVersion
    admin_password: str
    _token = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    # Its life

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def start(self) -> None:
        """Start it and wait for its API; a second start uses the same database."""

    @abstractmethod
    def stop(self) -> None:
        """Send SIGTERM, as Kubernetes does."""

    @abstractmethod
    def stopping(self) -> AbstractContextManager[None]:
        """A shutdown that a busy client draws out until the end of the block."""

    @abstractmethod
    def kill(self) -> None:
        """Send SIGKILL."""

    @abstractmethod
    def replace_database(self) -> None:
        """Stop it, and start it with an empty database."""

    @abstractmethod
    def rotate_certificate(self, tls: Tls) -> None:
        """Serve another certificate from the next handshake on, without a restart."""

    @abstractmethod
    def busy_clients(self) -> AbstractContextManager[None]:
        """Clients that keep the nfs adapter from stopping for some seconds, until they disconnect."""

    @abstractmethod
    def nfs_mount(self) -> AbstractContextManager[None]:
        """A client that has mounted a share by NFS, and unmounts it at the end."""

    @abstractmethod
    def smb_session(self) -> AbstractContextManager[None]:
        """A client that has logged in by SMB and opened a file; it closes the file and logs off at the end.

        It is always the same one: a file that it could not close because it was cut off is claimed first.
        """

    @abstractmethod
    def lost_smb_file(self) -> AbstractContextManager[None]:
        """A file of that client, which has lost its connection; it is claimed and closed at the end."""

    @abstractmethod
    def listens(self, adapter_type: str) -> bool:
        """Whether the adapter listens on its port, which `running` does not guarantee."""

    @abstractmethod
    def taken_port(self) -> AbstractContextManager[int]:
        """A port on which another program listens for the length of the block."""

    @property
    @abstractmethod
    def _http(self) -> httpx.Client: ...

    # What an administrator does

    def set_port(self, adapter_type: str, port: int) -> None:
        """Change the adapter's port; returns once it has restarted."""
        self._admin("PUT", f"/adapters/{adapter_type}", {"port": port})

    @contextmanager
    def moving(self, adapter_type: str, port: int) -> Iterator[None]:
        """Keep the adapter in the middle of a port change for the length of the block."""
        on_its_way = {"port": port, "running": self.version.runs_while_stopping}
        with ThreadPoolExecutor(1) as mover:
            with self.busy_clients():
                move = mover.submit(self._set_port_patiently, adapter_type, port)
                wait_until(lambda: move.done() or on_its_way.items() <= self.adapters()[adapter_type].items())
                assert not move.done(), "the port change was over before it could be seen"
                yield
                assert not self.listens(adapter_type), "it was there before the test was done"
            move.result()
        wait_until(lambda: self.adapters()[adapter_type]["running"] and self.listens(adapter_type))

    def enable(self, adapter_type: str) -> None:
        self._admin("PUT", f"/adapters/{adapter_type}", {"enabled": True})

    def disable(self, adapter_type: str) -> None:
        self._admin("PUT", f"/adapters/{adapter_type}", {"enabled": False})

    def add(self, adapter_type: str, port: int) -> None:
        self._admin("POST", "/adapters", {"type": adapter_type, "port": port})

    def delete(self, adapter_type: str) -> None:
        """Delete the adapter; it is back after a restart."""
        self._admin("DELETE", f"/adapters/{adapter_type}")

    def configure(self, adapter_type: str, config: Mapping[str, object]) -> None:
        """Set the adapter's configuration, which any user who may list adapters can read."""
        self._admin("PUT", f"/adapters/{adapter_type}", {"config": config})

    def adapters(self) -> Mapping[str, Mapping[str, Any]]:
        """The answer of `/adapters/ports`, by type."""
        listed = self._admin("GET", "/adapters/ports").json()
        return {adapter["type"]: adapter for adapter in listed}

    def port_of(self, adapter_type: str) -> int:
        """The adapter's port in `/adapters/ports`."""
        return int(self.adapters()[adapter_type]["port"])

    def create_user(
        self, username: str, password: str, role: Literal["admin", "operator", "user"] = "user"
    ) -> None:
        """Create an account; a new administrator must change the password first."""
        self._admin("POST", "/users", {"username": username, "password": password, "role": role})

    def set_user_enabled(self, username: str, enabled: bool) -> None:
        """Allow or forbid logins."""
        self._admin("PUT", f"/users/{username}", {"enabled": enabled})

    def change_password(self, username: str, password: str) -> None:
        """Set another password; valid at once unless the account is an administrator."""
        self._admin("POST", f"/users/{username}/password", {"new_password": password})

    def _set_port_patiently(self, adapter_type: str, port: int) -> None:
        # The API gives up on its own answer after some seconds; the adapter moves all the same.
        with suppress(httpx.RemoteProtocolError):
            self.set_port(adapter_type, port)

    def _admin(self, method: str, path: str, body: object = None) -> httpx.Response:
        answer = self.ask(method, path, body)
        if not answer.is_success:
            raise BedError(f"dfs answered {method} {path} with {answer.status_code}: {answer.text.strip()}")
        return answer

    def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        """The response to a request of an administrator."""
        answer = self._with_token(method, path, body)
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            credentials = {"username": "admin", "password": self.admin_password}
            self._token = self._http.post("/api/v1/auth/login", json=credentials).json()["access_token"]
            answer = self._with_token(method, path, body)
        return answer

    def _with_token(self, method: str, path: str, body: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return self._http.request(method, f"/api/v1{path}", json=body, headers=headers)


def client_of(url: str, tls: Tls | None) -> httpx.Client:
    """An HTTP client with an administrator's token."""
    return httpx.Client(
        base_url=url,
        # Plain HTTP has nothing to verify, and loading the system's CAs costs more than a whole test.
        verify=tls.client_context() if tls else False,
        timeout=READY_SECONDS,
        # A proxy of this machine has no business between two processes of it.
        trust_env=False,
    )


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail after a long timeout."""
    deadline = time.monotonic() + READY_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "what the test waits for did not happen"
        time.sleep(_POLL_SECONDS)
