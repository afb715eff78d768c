"""Files of a new stack where the disk is full: none is left that a later run would take for a whole one."""

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dittoinfra.setup.new_project import SCHEMA, begin_project, write_schema
from dittoinfra.setup.stack_template import StackFileExistsError, write_stack_file


@contextmanager
def full_after(count: int) -> Iterator[None]:
    """Files that take so many bytes and no more, as on a disk that runs full half-way."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_half_a_stack_file_is_not_left_and_the_error_names_it(tmp_path: Path) -> None:
    write_schema(tmp_path)
    path = tmp_path / "Pulumi.prod.yaml"

    with pytest.raises(OSError) as failed, full_after(10):  # noqa: PT011 - its number is looked at below
        write_stack_file(path, "config:\n  dittoinfra:namespace: files\n")

    assert (failed.value.errno, failed.value.filename) == (errno.EFBIG, str(path))
    assert names(tmp_path) == {SCHEMA}


def test_a_stack_has_no_file_before_everything_else_is_written(tmp_path: Path) -> None:
    (tmp_path / SCHEMA).write_text("{}")

    with pytest.raises(OSError) as failed, full_after(100):  # noqa: PT011 - its name is looked at below
        write_stack_file(tmp_path / "Pulumi.prod.yaml", "config: {}\n")

    assert failed.value.filename == str(tmp_path / SCHEMA)
    assert names(tmp_path) == {SCHEMA}
    assert (tmp_path / SCHEMA).read_text() == "{}", "the former one stays"


def test_half_a_project_file_is_not_left(tmp_path: Path) -> None:
    with pytest.raises(OSError) as failed, full_after(10):  # noqa: PT011 - its name is looked at below
        begin_project(tmp_path)

    assert failed.value.filename == str(tmp_path / "__main__.py")
    assert names(tmp_path) == set()


def test_a_stack_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text("config: {}\n")

    with pytest.raises(StackFileExistsError):
        write_stack_file(path, "other")

    assert path.read_text() == "config: {}\n"
