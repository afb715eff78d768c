"""The files of a new project: what is in them, and where they are not written."""

from pathlib import Path

import pytest
import yaml

from dittoinfra import __version__
from dittoinfra.settings.provider import provider_problems
from dittoinfra.setup.new_project import (
    FolderNotEmptyError,
    Toolchain,
    begin_project,
    package_mode_problem,
    project_files,
    requirements,
    valid_project_name,
    write_schema,
)
from tests import ROOT

FILES = {"__main__.py", ".gitignore", "requirements.txt", "Pulumi.yaml"}


def written(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_empty_folder_becomes_a_project(tmp_path: Path) -> None:
    assert set(begin_project(tmp_path)) == written(tmp_path) == FILES

    project = yaml.safe_load((tmp_path / "Pulumi.yaml").read_text())
    assert project["stackConfigDir"] == "stacks"
    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}
    assert list(provider_problems(project["config"])) == []
    program = (tmp_path / "__main__.py").read_text()
    assert len([line for line in program.splitlines() if line]) == 3
    compile(program, "__main__.py", "exec")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("file-servers", "file-servers"),
        ("Team A (files)", "Team-A-files"),
        (".hidden", "hidden"),
        ("données", "donn-es"),
        ("文件", "dittoinfra"),
        ("x" * 120, "x" * 100),
    ],
)
def test_a_project_is_named_after_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    (tmp_path / folder).mkdir()

    begin_project(tmp_path / folder)

    assert yaml.safe_load((tmp_path / folder / "Pulumi.yaml").read_text())["name"] == name
    assert valid_project_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 101])
def test_a_project_name_that_the_engine_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be letters, digits"):
        valid_project_name(name)


@pytest.mark.parametrize(
    ("lock", "written", "told"),
    [
        ("poetry.lock", "[project]\nname = 'files'\n", True),
        ("poetry.lock", "[tool.poetry]\npackage-mode = true\n", True),
        ("poetry.lock", "[tool.poetry]\npackage-mode = false\n", False),
        ("poetry.lock", "not TOML", False),
        ("poetry.lock", None, False),
        ("uv.lock", "[project]\nname = 'files'\n", False),
    ],
)
def test_a_poetry_project_is_told_that_it_is_no_package(
    tmp_path: Path, lock: str, written: str | None, told: bool
) -> None:
    (tmp_path / lock).touch()
    if written is not None:
        (tmp_path / "pyproject.toml").write_text(written)

    problem = package_mode_problem(tmp_path)

    assert ("add `package-mode = false` under [tool.poetry]" in (problem or "")) is told


@pytest.mark.parametrize(
    ("lock", "toolchain"), [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pyproject.toml", "pip")]
)
def test_what_installs_the_packages_is_seen_by_its_lock(
    tmp_path: Path, lock: str, toolchain: Toolchain
) -> None:
    (tmp_path / lock).touch()

    begin_project(tmp_path)

    options = yaml.safe_load((tmp_path / "Pulumi.yaml").read_text())["runtime"]["options"]
    assert options["toolchain"] == toolchain
    # uv and poetry have their own place for it.
    assert (tmp_path / "requirements.txt").exists() is (toolchain == "pip")


@pytest.mark.parametrize(
    ("version", "line"), [("0.1.0", "dittoinfra~=0.1.0"), ("1.4.2", "dittoinfra~=1.4"), (__version__, "")]
)
def test_a_project_takes_the_fixes_of_its_version_and_no_release_that_may_break(
    version: str, line: str
) -> None:
    assert requirements(version).endswith(f"{line}\n")


def test_what_a_repository_begins_with_may_be_there_and_is_kept(tmp_path: Path) -> None:
    for name in (".git", "stacks", "wheels", "env"):
        (tmp_path / name).mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    for name in (".gitignore", "README.md", "LICENSE", "requirements.txt"):
        (tmp_path / name).write_text("dittoinfra, and mine\n")

    assert set(begin_project(tmp_path)) == {"__main__.py", "Pulumi.yaml"}
    assert (tmp_path / ".gitignore").read_text() == "dittoinfra, and mine\n"


@pytest.mark.parametrize("name", ["notes.txt", "__main__.py", "requirements.txt", "src"])
def test_nothing_is_begun_beside_something_else(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("somebody's\n")

    with pytest.raises(FolderNotEmptyError) as refused:
        begin_project(tmp_path)

    assert f"beside other files ({name});" in str(refused.value)
    assert written(tmp_path) == {name}


def test_a_full_folder_is_told_in_one_line(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"file{number}").touch()

    with pytest.raises(FolderNotEmptyError, match=r"\(file0, file1, file2, file3, file4 and 4 more\)"):
        begin_project(tmp_path)


def test_an_attempt_that_ended_half_way_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text(project_files("pip", "files")["__main__.py"])

    assert set(begin_project(tmp_path)) == FILES - {"__main__.py"}


def test_the_schema_beside_the_stacks_is_that_of_the_installed_version(tmp_path: Path) -> None:
    (tmp_path / "stack.schema.json").write_text("{}")

    write_schema(tmp_path)

    expected = (ROOT / "docs" / "stack.schema.json").read_text(encoding="utf-8")
    assert (tmp_path / "stack.schema.json").read_text(encoding="utf-8") == expected
