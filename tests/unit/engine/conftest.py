"""Fixtures: an empty PATH and an empty cache."""

import socket
from pathlib import Path

import pytest

from dittoinfra.engine.installer import DIRECTORY_VARIABLE
from tests.unit.engine.recorder import Recorder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    directory = tmp_path / "cache"
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(directory))
    return directory


@pytest.fixture
def only_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory on PATH, still empty."""
    directory = tmp_path / "path" / "bin"
    directory.mkdir(parents=True)
    monkeypatch.setenv("PATH", str(directory))
    return directory


@pytest.fixture
def closed_port() -> int:
    """A loopback port that refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port


@pytest.fixture
def progress() -> Recorder:
    """A place for lines to be shown."""
    return Recorder()
