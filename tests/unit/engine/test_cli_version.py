"""A CLI says once which version it is; another file in its place is asked anew."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.engine.pulumi_cli import version_of
from tests.unit.engine.programs import pulumi_saying


class StartedError(Exception):
    """Fails: a program was started."""


@pytest.fixture
def copied(pulumi_cli: PulumiCommand, cache: Path, tmp_path: Path) -> Path:
    """A real CLI of this test's own."""
    return Path(shutil.copy(Path(pulumi_cli.command).resolve(), tmp_path / "pulumi"))


def test_it_is_started_once_for_as_long_as_its_file_stays_the_same(
    pulumi_cli: PulumiCommand, copied: Path, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    linked.symlink_to(copied)

    said = version_of(copied)

    assert said == pulumi_cli.version
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subprocess, "run", _started)
        assert version_of(copied) == version_of(linked) == said
        with copied.open("ab") as file:
            file.write(b"\0")
        with pytest.raises(StartedError):
            version_of(copied)


def test_a_memory_that_is_damaged_or_cannot_be_kept_is_none(
    pulumi_cli: PulumiCommand, copied: Path, cache: Path
) -> None:
    version_of(copied)
    [memory] = (cache / "versions").iterdir()
    memory.write_bytes(b"\xff")

    assert version_of(copied) == pulumi_cli.version

    shutil.rmtree(cache)
    cache.write_text("a file where the cache should be")
    assert version_of(copied) == pulumi_cli.version


@pytest.mark.parametrize("linked", [False, True])
def test_a_version_manager_is_asked_each_time(linked: bool, cache: Path, tmp_path: Path) -> None:
    # A version manager puts a script of its own in the CLI's place, or a link to itself.
    manager = pulumi_saying(tmp_path / ("manager" if linked else "pulumi"), "v3.230.0")
    path = tmp_path / "pulumi"
    if linked:
        path.symlink_to(manager)
    first = version_of(path)
    before = manager.stat()
    manager.write_text(manager.read_text().replace("3.230.0", "3.231.0"))
    os.utime(manager, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert (str(first), str(version_of(path))) == ("3.230.0", "3.231.0")
    assert not cache.exists()


def _started(*_: object, **__: object) -> None:
    raise StartedError
