"""The images that cannot be built here: everything about them that can be known without building them.

One is of this repository, the other is copied into projects that `dittoinfra init` began.
"""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dockerfile_parse import DockerfileParser

from dittoinfra.engine.versions import FETCHED_CLI
from dittoinfra.setup.new_project import project_files
from tests import ROOT

OURS, COPIED = ROOT / "Dockerfile", ROOT / "pipelines" / "image" / "Dockerfile"
BOTH = pytest.mark.parametrize("dockerfile", [OURS, COPIED], ids=["ours", "copied"])


def parsed(dockerfile: Path, folder: Path) -> list[tuple[str, str]]:
    copied = folder / "Dockerfile"
    shutil.copy(dockerfile, copied)
    structure = DockerfileParser(path=str(copied)).structure
    return [(entry["instruction"], entry["value"]) for entry in structure]


def values(instructions: list[tuple[str, str]], instruction: str) -> list[str]:
    return [value for name, value in instructions if name == instruction]


def ignored(path: str, folder: Path) -> bool:
    """Whether the build does not see a file or folder: the last pattern that matches it decides."""
    verdict = False
    for line in (folder / ".dockerignore").read_text().splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            keep = pattern.startswith("!")
            if fnmatch.fnmatch(path, pattern.removeprefix("!")):
                verdict = not keep
    return verdict


@BOTH
def test_the_linter_has_nothing_to_say(dockerfile: Path) -> None:
    hadolint = Path(sys.executable).parent / "hadolint"

    done = subprocess.run([hadolint, dockerfile], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@BOTH
def test_every_base_is_pinned_and_the_cli_is_the_one_that_is_tested(dockerfile: Path, tmp_path: Path) -> None:
    instructions = parsed(dockerfile, tmp_path)
    stages = [value.split(" AS ")[-1] for value in values(instructions, "FROM")]
    bases = [value.split()[0] for value in values(instructions, "FROM")]
    foreign = [base for base in bases if base not in stages]
    assert all(re.fullmatch(r"[a-z0-9/-]+:\d[\w.-]+", base) for base in foreign), foreign
    assert f"pulumi/pulumi-base:{FETCHED_CLI}" in foreign


def test_the_plugin_is_of_the_version_of_the_sdk(tmp_path: Path) -> None:
    instructions = parsed(OURS, tmp_path)
    [sdk] = re.findall(r"^pulumi-kubernetes==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert f"pulumi plugin install resource kubernetes v{sdk}" in values(instructions, "RUN")
    assert any(
        "pip install --require-hashes -r requirements.txt" in run for run in values(instructions, "RUN")
    )


def sources_of(instructions: list[tuple[str, str]]) -> set[str]:
    copies = [value.split() for value in values(instructions, "COPY") if not value.startswith("--from")]
    return {source for copy in copies for source in copy[:-1]}


def test_a_project_has_everything_that_is_copied_and_nothing_else_gets_in(tmp_path: Path) -> None:
    sources = sources_of(parsed(COPIED, tmp_path))

    assert sources == project_files("pip", "files").keys() - {".gitignore"}
    assert not any(ignored(source, COPIED.parent) for source in sources)
    assert all(ignored(private, COPIED.parent) for private in (".git", ".venv", "stacks", ".env", "wheels"))


def test_everything_that_is_copied_is_there_and_nothing_else_gets_in(tmp_path: Path) -> None:
    sources = sources_of(parsed(OURS, tmp_path))

    assert sources == {
        "requirements.txt",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "dittoinfra",
        "policy",
        "Pulumi.yaml",
        "__main__.py",
    }
    for source in sources:
        assert (ROOT / source).exists()
        assert not ignored(source, ROOT)
    for private in (".git", ".venv", "stacks", "examples", "lab", "tests", "tools", "bench", ".env"):
        assert ignored(private, ROOT)


@BOTH
def test_it_does_not_run_as_root(dockerfile: Path, tmp_path: Path) -> None:
    [user] = values(parsed(dockerfile, tmp_path), "USER")

    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


@BOTH
def test_what_it_starts_is_a_command(dockerfile: Path, tmp_path: Path) -> None:
    instructions = parsed(dockerfile, tmp_path)
    [entrypoint], [command] = values(instructions, "ENTRYPOINT"), values(instructions, "CMD")
    assert entrypoint == '["dittoinfra"]'
    arguments = re.findall(r'"([^"]*)"', command)
    program = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", program, *arguments, "--help"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "dittoinfra watch" in done.stdout
