"""A machine with nothing on it: an empty PATH, an empty cache, and no Go."""

import socket
from importlib import metadata
from pathlib import Path

import pytest

from dittoinfra.engine.cache import DIRECTORY_VARIABLE
from tests.engine.recorder import Recorder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    directory = tmp_path / "cache"
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(directory))
    return directory


@pytest.fixture
def path_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory on PATH, still empty; the Go that pip installs is out of sight as well."""
    directory = tmp_path / "path" / "bin"
    directory.mkdir(parents=True)
    monkeypatch.setenv("PATH", str(directory))

    def none_installed(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("dittoinfra.engine.golang.metadata.distribution", none_installed)
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
