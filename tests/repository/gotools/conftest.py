"""A machine with nothing on it, as for the product's own search, and no Go either."""

from importlib import metadata
from pathlib import Path

import pytest

from tests.unit.engine.conftest import cache, closed_port, only_path, progress

__all__ = ["cache", "closed_port", "only_path", "progress"]


@pytest.fixture
def path_directory(only_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory on PATH, still empty; the Go that pip installs is out of sight as well."""

    def none_installed(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("lab.gotools.golang.metadata.distribution", none_installed)
    return only_path
