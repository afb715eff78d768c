"""The simulated DittoFS server with the interface of the real one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType

import httpx
from typing_extensions import override

from lab.bed.certificates import Tls
from lab.bed.credentials import credential
from lab.bed.dittofs import SHUTDOWN_SECONDS, DittoFSServer, client_of
from lab.bed.process import BedError, another_listener, free_ports
from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import V0_29, ServerVersion


class SimulatedServer(DittoFSServer):
    """Administered through its API like the real server, not through its script."""

    def __init__(
        self,
        *,
        tls: Tls | None = None,
        access_lifetime: float = 900,
        refresh_lifetime: float = 604_800,
        shutdown_timeout: float = SHUTDOWN_SECONDS,
        version: ServerVersion = V0_29,
    ) -> None:
        self.version = version
        self.admin_password = credential("simulated-admin")
        self._tls = tls
        self._context = tls.server_context() if tls else None
        self._simulated = SimulatedDittoFS(
            tls=self._context,
            admin_password=self.admin_password,
            secret=credential("simulated-jwt-secret"),
            access_lifetime=access_lifetime,
            refresh_lifetime=refresh_lifetime,
            shutdown_timeout=shutdown_timeout,
            version=version,
        )
        self._client: httpx.Client | None = None
        self._busy = False

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._simulated.__exit__(kind, error, trace)
        if self._client:
            self._client.close()

    @property
    @override
    def url(self) -> str:
        return self._simulated.url

    @override
    def start(self) -> None:
        self._simulated.start()
        if self._client is None:
            self._client = client_of(self.url, self._tls)
            for adapter_type, port in zip(("nfs", "smb"), free_ports(2), strict=True):
                self.set_port(adapter_type, port)

    @override
    def stop(self) -> None:
        self._simulated.stop()

    @contextmanager
    @override
    def stopping(self) -> Iterator[None]:
        # As the real one, it refuses connections from the first moment of its shutdown on.
        self.stop()
        yield

    @override
    def kill(self) -> None:
        # It cuts its connections and refuses others at once: no client could tell the difference.
        self._simulated.stop()

    @override
    def replace_database(self) -> None:
        self._simulated.replace_database()

    @override
    def rotate_certificate(self, tls: Tls) -> None:
        assert self._context is not None, "there is no certificate to rotate"
        self._context.load_cert_chain(tls.cert_file, tls.key_file)
        self._http.close()
        self._client = client_of(self.url, tls)

    @contextmanager
    @override
    def busy_clients(self) -> Iterator[None]:
        self._simulated.hold_restarts()
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            self._simulated.release_restarts()

    @override
    def nfs_mount(self) -> AbstractContextManager[None]:
        return self._simulated.client("nfs", mounts=1)

    @override
    def smb_session(self) -> AbstractContextManager[None]:
        return self._simulated.client("smb", files=1)

    @override
    def lost_smb_file(self) -> AbstractContextManager[None]:
        return self._simulated.client("smb", files=1, lost=True)

    @override
    def listens(self, adapter_type: str) -> bool:
        return self._simulated.adapters[adapter_type].running and not self._busy

    @contextmanager
    @override
    def taken_port(self) -> Iterator[int]:
        with another_listener() as port:
            self._simulated.take_port(port)
            try:
                yield port
            finally:
                self._simulated.free_port(port)

    @property
    @override
    def _http(self) -> httpx.Client:
        if self._client is None:
            raise BedError("the simulated server has not been started; use it in a `with` block")
        return self._client
