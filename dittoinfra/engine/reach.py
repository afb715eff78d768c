"""Whether a host on the internet can be reached, found out in seconds."""

import queue
import socket
import threading
import time
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

PROBE_SECONDS = 2.5
"""Long enough for a slow DNS answer and a handshake; a firewall that drops packets costs no more."""

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Reachable:
    """Something accepts connections on the way to the host."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing does, and why."""

    why: str


Reach = Reachable | Unreachable


def probe(*urls: str, limit: float = PROBE_SECONDS) -> Reach:
    """Whether any of the hosts can be connected to, in no more than `limit` seconds altogether."""
    answers: queue.Queue[Reach] = queue.Queue()
    for url in urls:
        # A resolver can block for half a minute and takes no timeout: the thread is left to end by itself.
        threading.Thread(target=lambda url=url: answers.put(_connect(url, limit)), daemon=True).start()
    deadline = time.monotonic() + limit
    reasons: list[str] = []
    while len(reasons) < len(urls):
        try:
            answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            reasons.append(f"no answer within {limit:g} s from {_hosts(urls)}")
            break
        match answer:
            case Reachable():
                return answer
            case Unreachable(why):
                reasons.append(why)
    return Unreachable("; ".join(reasons))


def first_hop(url: str) -> tuple[str, int]:
    """Where a connection for this URL really goes: to the proxy, where one is configured for the host."""
    target = urlsplit(url)
    host = target.hostname or ""
    proxy = urllib.request.getproxies().get(target.scheme)
    if proxy and not urllib.request.proxy_bypass(host):
        # A proxy is often configured without its scheme.
        via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        return via.hostname or "", via.port or _DEFAULT_PORTS.get(via.scheme, 80)
    return host, target.port or _DEFAULT_PORTS[target.scheme]


def _connect(url: str, limit: float) -> Reach:
    host, port = first_hop(url)
    try:
        socket.create_connection((host, port), timeout=limit).close()
    except OSError as error:
        return Unreachable(f"{host}:{port}: {error.strerror or error}")
    return Reachable()


def _hosts(urls: tuple[str, ...]) -> str:
    return ", ".join("{}:{}".format(*first_hop(url)) for url in urls)
