"""Files survive the loss of a Pod, or the run has warned that they will not."""

import json
import os
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from dittoinfra.decide.deployment_notes import deployment_notes
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod import CLAIM_PATHS
from dittoinfra.model import ServerDecision
from lab.bed.nfs_mount import NfsClient
from lab.bed.process import free_ports
from tests.engine.deploy.config import deployed
from tests.engine.deploy.config_server import Running, started
from tests.pure.decide.make import answer

EXPORT = "/export"
CONTENT = b"written before the Pod was gone"


def warnings(deploy: dict[str, Any]) -> list[str]:
    """What a run says of these settings."""
    server, _ = deployed(**deploy)
    decision = ServerDecision(server.name, answer(), bootstrap=False, adapters=())
    return [note.text for note in deployment_notes([server], {server.name: decision}) if note.warning]


def make_share(running: Running, root: Path) -> None:
    """A share whose stores are where the claims are mounted, or would be."""
    api = Api(running)
    metadata, content = (
        json.dumps({"path": f"{root}{CLAIM_PATHS[claim]}/{claim}"}) for claim in ("metadata", "content")
    )
    api.send("POST", "store/metadata", {"name": "meta", "type": "badger", "config": metadata})
    api.send("POST", "store/block/local", {"name": "local", "type": "fs", "config": content})
    share = {
        "name": EXPORT,
        "metadata_store_id": "meta",
        "local_block_store": "local",
        "default_permission": "read-write",
    }
    api.send("POST", "shares", share)
    api.send("PATCH", f"shares{EXPORT}/adapters/nfs/config", {"squash": "none"})


class Api:
    """The API, by its administrator."""

    def __init__(self, running: Running) -> None:
        self._client = running.client
        self._headers = {"Authorization": f"Bearer {running.login()['access_token']}"}

    def send(self, method: str, path: str, body: dict[str, Any]) -> httpx.Response:
        sent = self._client.request(method, f"/api/v1/{path}", headers=self._headers, json=body)
        assert sent.is_success, sent.text
        return sent


def nfs(running: Running) -> NfsClient:
    """The export, on a port of its own: every server of this machine begins with the same one."""
    [port] = free_ports(1)
    Api(running).send("PUT", "adapters/nfs", {"port": port})
    deadline = time.monotonic() + 30
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return NfsClient(port, EXPORT)
        assert time.monotonic() < deadline, "the adapter does not listen"
        time.sleep(0.05)


def lose_pod(root: Path, deploy: dict[str, Any]) -> None:
    """Delete everything that is on no claim, as Kubernetes does with a container."""
    server, settings = deployed(**deploy)
    claims = [root / CLAIM_PATHS[claim.name][1:] for claim in planned_fields(server, settings).claims]
    for path in (root / "data").rglob("*"):
        if path.is_dir() and not any(
            path in (claim, *claim.parents) or claim in path.parents for claim in claims
        ):
            shutil.rmtree(path, ignore_errors=True)


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("storage", [{"content": {}}, {}], ids=["with a claim", "without"])
def test_what_was_written_is_there_or_it_was_said(
    dfs_binary: Path, tmp_path: Path, storage: dict[str, Any], killed: bool
) -> None:
    deploy = {"storage": storage}
    with started(dfs_binary, tmp_path, deploy) as running:
        make_share(running, tmp_path)
        with nfs(running) as export:
            export.write("file", CONTENT)
            assert export.read("file") == CONTENT
        if killed:
            os.kill(running.process.pid, signal.SIGKILL)
            running.process.wait(10)

    lose_pod(tmp_path, deploy)

    with started(dfs_binary, tmp_path, deploy) as running, nfs(running) as export:
        kept = export.read("file") == CONTENT
    assert kept == bool(storage), "or the warning would be wrong"
    assert kept != bool(warnings(deploy))
