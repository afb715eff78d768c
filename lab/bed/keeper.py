"""One instance of each real part per test run, started on demand and shared by all workers.

The main process keeps them, because a worker may end before the others.
"""

import json
import os
import shutil
import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.cluster import KubernetesCluster
from lab.bed.control_plane import ControlPlane
from lab.bed.kubernetes import KubernetesApi
from lab.bed.process import BedError
from lab.bed.tools import KUBERNETES_TOOL
from lab.bed.whole_cluster import WholeCluster, cluster_parts
from lab.gotools import Silent, build

BED: Final = "DITTOINFRA_BED"
"""Names the folder of a bed that is kept: by this run, or by `make bed` in another terminal."""

API: Final = "api"
CLUSTER: Final = "cluster"

_SOCKET: Final = "keeper"


class Keeper:
    """Starts a part when it is first requested, and keeps it for the length of a `with` block."""

    def __init__(self) -> None:
        # Not below the run's own folders: the path of a socket has room for a hundred characters only.
        self.directory = Path(tempfile.mkdtemp(prefix="bed-"))
        self._running = ExitStack()
        self._parts = {
            API: _Part(lambda: _control_plane(self.directory / API)),
            CLUSTER: _Part(lambda: _whole_cluster(self.directory / CLUSTER)),
        }

    def __enter__(self) -> Self:
        server = _Listener(str(self.directory / _SOCKET), self.part)
        thread = threading.Thread(target=server.serve_forever, name="bed-keeper", daemon=True)
        thread.start()
        self._running.callback(shutil.rmtree, self.directory, ignore_errors=True)
        for part in self._parts.values():
            self._running.callback(part.stop)
        self._running.callback(server.server_close)
        self._running.callback(server.shutdown)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def part(self, name: str) -> KubernetesApi:
        """The running part; raises `BedError` or `EngineError`."""
        return self._parts[name].started()

    def started(self) -> Mapping[str, KubernetesApi]:
        """The parts that have been started."""
        return {name: part.api for name, part in self._parts.items() if part.api is not None}


def kept_api() -> KubernetesApi:
    """The Kubernetes API of the run, or `BedError`."""
    return KubernetesApi(**_asked(API))


def kept_cluster() -> KubernetesCluster:
    """The Kubernetes cluster of the run, or `BedError`."""
    return KubernetesCluster(**_asked(CLUSTER))


def _asked(part: str) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(Path(os.environ[BED]) / _SOCKET))
        except OSError as error:
            raise BedError(
                f"no bed is kept in {os.environ[BED]} ({error.strerror}); "
                f"start `make bed` again, or unset {BED}"
            ) from None
        connection.sendall(f"{part}\n".encode())
        with connection.makefile() as answer:
            said = json.loads(answer.readline())
    if "error" in said:
        raise BedError(said["error"])
    return {**said, "directory": Path(said["directory"])}


class _Part:
    """A part that is started once, by the first request; other requests wait."""

    def __init__(self, make: Callable[[], AbstractContextManager[KubernetesApi]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._running = ExitStack()
        self._trouble: Exception | None = None
        self.api: KubernetesApi | None = None

    def started(self) -> KubernetesApi:
        with self._lock:
            # What did not start will not start for the next test either, and each try takes a minute.
            if self._trouble is not None:
                raise self._trouble
            if self.api is None:
                try:
                    self.api = self._running.enter_context(self._make())
                except (BedError, EngineError) as error:
                    self._trouble = error
                    raise
            return self.api

    def stop(self) -> None:
        with self._lock:
            self.api = None
            self._running.close()


class _Listener(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, part: Callable[[str], KubernetesApi]) -> None:
        super().__init__(path, _Answer)
        self.part = part


class _Answer(socketserver.StreamRequestHandler):
    server: _Listener

    def handle(self) -> None:
        try:
            api = self.server.part(self.rfile.readline().decode().strip())
        except (BedError, EngineError) as error:
            said = {"error": str(error)}
        else:
            said = {"url": api.url, "token": api.token, "directory": str(api.directory)}
        self.wfile.write(json.dumps(said).encode() + b"\n")


def _control_plane(directory: Path) -> ControlPlane:
    return ControlPlane(build(KUBERNETES_TOOL, Silent()), directory)


def _whole_cluster(directory: Path) -> WholeCluster:
    return WholeCluster(cluster_parts(Silent()), directory)
