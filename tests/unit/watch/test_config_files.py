"""A person's change of the configuration, told from the engine's own writing."""

from pathlib import Path

import pytest

from dittoinfra.watch.config_files import ConfigFiles

PROJECT = "name: dittoinfra\nstackConfigDir: stacks\n"
STACK = "config:\n  dittoinfra:namespace: files\n  dittoinfra:absencePolls: 2\n  dittoinfra:logs: true\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "stacks" / "Pulumi.prod.yaml").write_text(STACK)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "changed"),
    [
        ("stacks/Pulumi.prod.yaml", STACK.replace("files", "other"), True),
        ("Pulumi.yaml", PROJECT + "config: {namespace: {default: x}}\n", True),
        ("stacks/Pulumi.prod.yaml", "encryptionsalt: v1:abc\n" + STACK, False),
        ("stacks/Pulumi.prod.yaml", STACK.replace("2", '"2"').replace("true", '"true"'), False),
        ("stacks/Pulumi.prod.yaml", STACK.replace("2", "3"), True),
        ("stacks/Pulumi.prod.yaml", "# a comment\n" + STACK, False),
        ("stacks/Pulumi.dev.yaml", STACK, False),
    ],
    ids=[
        "a value",
        "the project",
        "the engine's salt",
        "the engine's quotes",
        "a number",
        "a comment",
        "another stack",
    ],
)
def test_only_what_a_run_would_read_otherwise_counts(root: Path, file: str, text: str, changed: bool) -> None:
    configuration = ConfigFiles.of(root, "prod")
    before = configuration.fingerprint()

    (root / file).write_text(text)

    assert (configuration.fingerprint() != before) is changed


SALT = "encryptionsalt: v1:abc\n"


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("stacks/Pulumi.prod.yaml", None, "is gone"),
        ("stacks/Pulumi.prod.yaml", b"", "is empty"),
        ("stacks/Pulumi.prod.yaml", SALT.encode(), "has no config any more"),
        ("stacks/Pulumi.prod.yaml", f"{SALT}config: {{}}\n".encode(), "has no config any more"),
        ("stacks/Pulumi.prod.yaml", b"config: [", "is not YAML"),
        ("stacks/Pulumi.prod.yaml", b"config: \xff\n", "is not YAML"),
        ("Pulumi.yaml", None, "is gone"),
        ("Pulumi.yaml", b"runtime: python\n", "has no name any more"),
    ],
    ids=["gone", "empty", "salt only", "no values", "broken", "no text", "no project", "no name"],
)
def test_a_file_that_cannot_be_read_for_a_moment_is_no_change(
    root: Path, file: str, content: bytes | None, why: str
) -> None:
    configuration = ConfigFiles.of(root, "prod")
    before, text = configuration.fingerprint(), (root / file).read_text()

    if content is None:
        (root / file).unlink()
    else:
        (root / file).write_bytes(content)
    assert configuration.fingerprint() == before
    assert configuration.problem == f"{root / file} {why}"

    (root / file).write_text(text)
    assert configuration.fingerprint() == before
    assert configuration.problem == ""


def test_a_file_that_cannot_be_opened_is_lost_as_well(root: Path) -> None:
    configuration = ConfigFiles.of(root, "prod")
    before = configuration.fingerprint()
    file = root / "stacks" / "Pulumi.prod.yaml"

    file.unlink()
    file.mkdir()

    assert configuration.fingerprint() == before
    assert configuration.problem == f"{file} cannot be read: Is a directory"


def test_a_stack_that_never_had_a_file_has_lost_none(root: Path) -> None:
    configuration = ConfigFiles.of(root, "new")
    before = configuration.fingerprint()
    assert configuration.problem == ""

    (root / "stacks" / "Pulumi.new.yaml").write_text(STACK)

    assert configuration.fingerprint() != before
