"""However a run ends, nothing of the way through the cluster is left."""

import contextlib
import gc
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dittoinfra.model import Answered
from tests.unit.kubernetes.asking import inside, inside_server, polling
from tests.unit.kubernetes.conftest import Inhabited


def open_sockets() -> set[str]:
    """What this process holds of the network."""
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        try:
            target = str(number.readlink())
        except FileNotFoundError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


def listening(before: set[str]) -> set[str]:
    """Sockets of this process that take connections, those from before excepted."""
    inodes = {name.removeprefix("socket:[").removesuffix("]") for name in open_sockets() - before}
    tables = [Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A" and row[9] in inodes}


@pytest.fixture
def silent(inhabited: Inhabited) -> Iterator[socket.socket]:
    """What stands behind Pod `hanging-0`: it takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cluster, namespace = inhabited.cluster, inhabited.namespace
        with cluster.client() as client:
            known = client.get(f"/api/v1/namespaces/{namespace}/pods/hanging-0").is_success
        if not known:
            cluster.run_pod(namespace, "hanging-0")
        cluster.forward(namespace, "hanging-0", 8080, listener.getsockname()[1])
        yield listener


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_nothing_listens_and_nothing_is_left(inhabited: Inhabited) -> None:
    before, running = open_sockets(), threads()

    with polling(inside(inhabited.kubeconfig), inside_server("media", inhabited.namespace)) as polls:
        assert isinstance(polls.first()["media"], Answered)
        during, taking = open_sockets(), listening(before)

    gc.collect()
    assert len(during - before) > 0
    assert taking == set()
    assert open_sockets() <= before
    assert "dittofs-polling" not in threads() - running


def test_a_run_that_breaks_off_waits_for_no_answer(inhabited: Inhabited, silent: socket.socket) -> None:
    before = open_sockets()
    server = inside_server("hanging", inhabited.namespace, {"deadline": "10m", "requestTimeout": "10m"})

    # As Ctrl-C comes: in the middle of a poll that is not answered.
    with contextlib.suppress(KeyboardInterrupt), polling(inside(inhabited.kubeconfig), server):
        connection, _ = silent.accept()
        during, begun = open_sockets(), time.monotonic()
        raise KeyboardInterrupt

    took = time.monotonic() - begun
    connection.close()
    gc.collect()
    assert took < 5
    assert len(during - before) > 1
    assert open_sockets() <= before


def test_a_further_poll_goes_the_same_way(inhabited: Inhabited) -> None:
    server = inside_server("media", inhabited.namespace)

    with polling(inside(inhabited.kubeconfig), server) as polls:
        assert isinstance(polls.first()["media"], Answered)
        assert isinstance(polls.again({"media": 0.0})["media"], Answered)
