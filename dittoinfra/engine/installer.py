"""How tools are fetched: whether their host can be reached, the official installer, and the cache."""

import fcntl
import os
import platform
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from dittoinfra.engine.engine_errors import EngineError, quoted_output
from dittoinfra.engine.versions import FETCHED_CLI

DIRECTORY_VARIABLE = "DITTOINFRA_CACHE"

PROBE_SECONDS = 2.5
"""Long enough for a slow DNS answer and a handshake; a firewall that drops packets costs no more."""

INSTALLER_URL = "https://get.pulumi.com"
"""The host that serves the installer's script and the archives that it fetches."""

INSTALL_LIMIT_SECONDS = 300.0
"""An archive of about 150 MB over a slow line."""

# A process of its own, because neither the SDK's download nor the script it starts takes a timeout.
# The socket timeout inside is for a proxy that accepts connections and then says nothing.
_PROGRAM = """
import socket, sys
socket.setdefaulttimeout(10)
from pulumi.automation import PulumiCommand
from semver import VersionInfo
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""

_DEFAULT_PORTS = {"http": 80, "https": 443}


def why_unreachable(*urls: str, limit: float = PROBE_SECONDS) -> str | None:
    """Why none of the hosts can be connected to within `limit` seconds; None where one of them can."""
    answers: queue.Queue[str | None] = queue.Queue()
    for url in urls:
        # A resolver can block for half a minute and takes no timeout: the thread is left to end by itself.
        threading.Thread(target=lambda url=url: answers.put(_failure(url, limit)), daemon=True).start()
    deadline = time.monotonic() + limit
    reasons: list[str] = []
    while len(reasons) < len(urls):
        try:
            reason = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            hosts = ", ".join("{}:{}".format(*first_hop(url)) for url in urls)
            reasons.append(f"no answer within {limit:g} s from {hosts}")
            break
        if reason is None:
            return None
        reasons.append(reason)
    return "; ".join(reasons)


def first_hop(url: str) -> tuple[str, int]:
    """Where a connection for this URL really goes: to the proxy, where one is configured for the host."""
    # Here, because it loads all of HTTP, which finding the CLI does not need.
    from urllib.request import getproxies, proxy_bypass

    target = urlsplit(url)
    host = target.hostname or ""
    proxy = getproxies().get(target.scheme)
    if proxy and not proxy_bypass(host):
        # A proxy is often configured without its scheme.
        via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        return via.hostname or "", via.port or _DEFAULT_PORTS.get(via.scheme, 80)
    return host, target.port or _DEFAULT_PORTS[target.scheme]


def _failure(url: str, limit: float) -> str | None:
    host, port = first_hop(url)
    try:
        socket.create_connection((host, port), timeout=limit).close()
    except OSError as error:
        return f"{host}:{port}: {error.strerror or error}"
    return None


def cache_directory() -> Path:
    """The user's cache: outside every checkout, so that all of them share it."""
    if chosen := os.environ.get(DIRECTORY_VARIABLE):
        return Path(chosen)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "dittoinfra"
    return Path.home() / ".cache" / "dittoinfra"


def platform_tag() -> str:
    """The platform a binary is for: a home directory may be mounted on machines of several kinds."""
    return f"{sys.platform}-{platform.machine().lower()}"


def is_executable(path: Path) -> bool:
    """Whether a file is there and may be started."""
    return path.is_file() and os.access(path, os.X_OK)


def publish(
    entry: Path, *, usable: Callable[[Path], bool], make: Callable[[Path], None], on_wait: Callable[[], None]
) -> Path:
    """Return the entry, made once by `make` in a directory beside it and renamed into place when whole.

    A second process waits (`on_wait` tells it so) and takes what the first one made.
    """
    if usable(entry):
        return entry
    with _locked(entry, on_wait):
        if usable(entry):
            return entry
        # No other process works on this entry while the lock is held: these are from a run that was killed.
        for leftover in entry.parent.glob(f".{entry.name}.*.draft"):
            shutil.rmtree(leftover, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", suffix=".draft", dir=entry.parent))
        try:
            make(draft)
            # An entry that is there but not usable was damaged by hand, and a rename needs its place free.
            if entry.exists():
                shutil.rmtree(entry)
            draft.rename(entry)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return entry


@contextmanager
def _locked(entry: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the entry's lock; the system releases it even when this process is killed."""
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        lock = (entry.parent / f".{entry.name}.lock").open("a")
    except OSError as error:
        raise EngineError(
            f"cannot write the cache {entry.parent}: {error.strerror}",
            f"set {DIRECTORY_VARIABLE} to a directory that can be written",
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(root: Path, limit: float = INSTALL_LIMIT_SECONDS) -> None:
    """Let the official installer put the pinned CLI into `root`."""
    run_bounded([sys.executable, "-c", _PROGRAM, str(root), str(FETCHED_CLI)], limit)


def run_bounded(command: list[str], limit: float) -> None:
    """Run an installing command to its end, or end it and all that it started when the time is up."""
    with subprocess.Popen(  # noqa: S603 - this very Python, with a program that is written above
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            _, messages = process.communicate(timeout=limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise EngineError(f"the official installer did not finish within {limit:g} s") from None
            raise
    if process.returncode != 0:
        said = quoted_output(*messages.strip().splitlines()[-1:]) or "it said nothing"
        raise EngineError(f"the official installer ended with {process.returncode}: {said}")
