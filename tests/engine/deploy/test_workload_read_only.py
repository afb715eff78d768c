"""A read-only root file system, and the real server at work on it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from lab.bed.default_ports import default_ports
from lab.bed.process import BedError, Server, start_on_free_port
from tests.engine.deploy.config import HELD, PASSWORD, deployed, filled
from tests.engine.deploy.config_server import READY_SECONDS, answers
from tests.engine.deploy.jail import jailed


@contextmanager
def running(binary: Path, directory: Path, without: str = "") -> Iterator[httpx.Client]:
    def launch(port: int) -> Server:
        client.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        server, deploy = deployed(
            api={"port": port},
            config={"extra": {"controlplane": {"host": "127.0.0.1"}}, "shutdownTimeout": "1s"},
            storage={"content": {}},
            readOnlyRootFilesystem=True,
        )
        command = jailed(binary, directory, server, deploy, without=without)
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **filled(server, deploy, HELD)}
        return Server("dfs", command, directory / "dfs.log", environment=environment)

    # Its adapters are where every first start puts them.
    with default_ports(), httpx.Client(trust_env=False, timeout=30) as client:
        process = start_on_free_port(launch, partial(answers, client), READY_SECONDS)
        try:
            yield client
        finally:
            process.stop()


def test_the_real_server_works_on_a_read_only_root(dfs_binary: Path, tmp_path: Path) -> None:
    with running(dfs_binary, tmp_path) as api:
        login = api.post("/api/v1/auth/login", json={"username": "admin", "password": PASSWORD}).json()
        api.headers["Authorization"] = f"Bearer {login['access_token']}"

        def make(path: str, body: dict[str, str]) -> None:
            answer = api.post(f"/api/v1/{path}", json=body)
            assert answer.is_success, answer.text

        badger = json.dumps({"path": "/data/store/metadata/files"})
        blocks = json.dumps({"path": "/data/store/block/files"})
        make("store/metadata", {"name": "files", "type": "badger", "config": badger})
        make("store/block/local", {"name": "files", "type": "fs", "config": blocks})
        share = {"name": "/files", "metadata_store_id": "files", "local_block_store": "files"}
        make("shares", share)

    volumes = tmp_path / "volumes"
    assert all(any((volumes / claim).iterdir()) for claim in ("metadata", "content", "controlplane"))


def test_the_root_of_that_proof_is_read_only_indeed(dfs_binary: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(BedError, match=r"(?i)read-only|unable to open database"),
        running(dfs_binary, tmp_path, without="/data/controlplane"),
    ):
        pass
