"""The image that nobody can build here: everything about it that can be known without building it."""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dockerfile_parse import DockerfileParser

from dittoinfra.engine.versions import FETCHED_CLI
from tests.manifests.documents import ROOT


@pytest.fixture(scope="module")
def instructions(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    copied = tmp_path_factory.mktemp("image") / "Dockerfile"
    shutil.copy(ROOT / "Dockerfile", copied)
    structure = DockerfileParser(path=str(copied)).structure
    return [(entry["instruction"], entry["value"]) for entry in structure]


def values(instructions: list[tuple[str, str]], instruction: str) -> list[str]:
    return [value for name, value in instructions if name == instruction]


def ignored(path: str) -> bool:
    """Whether the build does not see a file or folder: the last pattern that matches it decides."""
    verdict = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            keep = pattern.startswith("!")
            if fnmatch.fnmatch(path, pattern.removeprefix("!")):
                verdict = not keep
    return verdict


def test_the_linter_has_nothing_to_say() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"

    done = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_every_base_is_pinned_and_the_versions_are_those_that_are_tested(
    instructions: list[tuple[str, str]],
) -> None:
    stages = [value.split(" AS ")[-1] for value in values(instructions, "FROM")]
    bases = [value.split()[0] for value in values(instructions, "FROM")]
    foreign = [base for base in bases if base not in stages]
    assert all(re.fullmatch(r"[a-z0-9/-]+:\d[\w.-]+", base) for base in foreign), foreign
    assert f"pulumi/pulumi-base:{FETCHED_CLI}" in foreign

    [sdk] = re.findall(r"^pulumi-kubernetes==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert f"pulumi plugin install resource kubernetes v{sdk}" in values(instructions, "RUN")
    assert any(
        "pip install --require-hashes -r requirements.txt" in run for run in values(instructions, "RUN")
    )


def test_everything_that_is_copied_is_there_and_nothing_else_gets_in(
    instructions: list[tuple[str, str]],
) -> None:
    copies = [value.split() for value in values(instructions, "COPY") if not value.startswith("--from")]
    sources = {source for copy in copies for source in copy[:-1]}

    assert sources == {
        "requirements.txt",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "dittoinfra",
        "Pulumi.yaml",
        "__main__.py",
    }
    for source in sources:
        assert (ROOT / source).exists()
        assert not ignored(source)
    for private in (".git", ".venv", "stacks", "tests", ".env"):
        assert ignored(private)


def test_it_does_not_run_as_root(instructions: list[tuple[str, str]]) -> None:
    [user] = values(instructions, "USER")

    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_what_it_starts_is_a_command(instructions: list[tuple[str, str]]) -> None:
    [entrypoint], [command] = values(instructions, "ENTRYPOINT"), values(instructions, "CMD")
    assert entrypoint == '["dittoinfra"]'
    arguments = re.findall(r'"([^"]*)"', command)
    program = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", program, *arguments, "--help"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "dittoinfra watch" in done.stdout
