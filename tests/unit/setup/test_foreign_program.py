"""A project whose program declares more than dittoinfra does is not run without the rest."""

from pathlib import Path

import pytest

from dittoinfra.projectfile import foreign_program
from dittoinfra.setup.new_project import begin_project
from tests import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    begin_project(tmp_path)
    return tmp_path


def test_a_new_project_and_this_repository_are_dittoinfra_and_no_more(project: Path) -> None:
    assert foreign_program(project) is None
    assert foreign_program(ROOT) is None


@pytest.mark.parametrize(
    "more",
    [
        "bucket = Bucket('backup')",
        "import network",
        "from network import vpc",
        "if True:\n    Bucket('backup')",
    ],
)
def test_what_else_is_declared_is_found(project: Path, more: str) -> None:
    with (project / "__main__.py").open("a") as program:
        program.write(f"{more}\n")

    reason = foreign_program(project)

    assert reason is not None
    assert reason.startswith(
        "__main__.py:6: does more than run dittoinfra; what it declares beside that would be"
    )


@pytest.mark.parametrize("line", ["runtime: yaml", "main: src"])
def test_another_program_is_found(project: Path, line: str) -> None:
    (project / "Pulumi.yaml").write_text(f"name: files\n{line}\n")

    assert "names another program" in (foreign_program(project) or "")


def test_a_program_that_is_no_python_is_told(project: Path) -> None:
    (project / "__main__.py").write_text("def\n")

    assert (foreign_program(project) or "").startswith("__main__.py cannot be read: ")


def test_a_folder_of_stacks_without_a_program_is_run(project: Path) -> None:
    (project / "__main__.py").unlink()

    assert foreign_program(project) is None
