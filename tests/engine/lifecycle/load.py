"""Clients that poll a server's adapters concurrently."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx

from lab.bed.dittofs import READY_SECONDS

CLIENTS = 4
PAUSE_SECONDS = 0.005
"""Between two questions of a client: the stack under test runs in the same process, and wants a turn."""


@contextmanager
def asked_all_the_time(url: str, username: str, password: str) -> Iterator[Counter[int]]:
    """The statuses of all responses so far; a request without a response fails the test."""
    statuses: Counter[int] = Counter()
    over = threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=url, verify=False, trust_env=False, timeout=READY_SECONDS) as client:
            credentials = {"username": username, "password": password}
            login = client.post("/api/v1/auth/login", json=credentials).raise_for_status().json()
            client.headers["Authorization"] = f"Bearer {login['access_token']}"
            while not over.wait(PAUSE_SECONDS):
                statuses[client.get("/api/v1/adapters/ports").status_code] += 1

    with ThreadPoolExecutor(CLIENTS) as pool:
        asking = [pool.submit(ask) for _ in range(CLIENTS)]
        try:
            yield statuses
        finally:
            over.set()
        for each in asking:
            each.result()
