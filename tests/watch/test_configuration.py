"""Somebody's change of the configuration, told from the engine's own writing."""

from pathlib import Path

import pytest

from dittoinfra.watch.configuration import Configuration

PROJECT = "name: dittoinfra\nstackConfigDir: stacks\n"
STACK = "config:\n  dittoinfra:namespace: files\n"


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
        ("stacks/Pulumi.prod.yaml", "config: [", True),
        ("stacks/Pulumi.prod.yaml", "", True),
        ("stacks/Pulumi.prod.yaml", "encryptionsalt: v1:abc\n" + STACK, False),
        ("stacks/Pulumi.prod.yaml", "# a comment\n" + STACK, False),
        ("stacks/Pulumi.dev.yaml", STACK, False),
    ],
    ids=["a value", "the project", "broken", "empty", "the engine's salt", "a comment", "another stack"],
)
def test_only_what_a_run_would_read_otherwise_counts(root: Path, file: str, text: str, changed: bool) -> None:
    configuration = Configuration.of(root, "prod")
    before = configuration.fingerprint()

    (root / file).write_text(text)

    assert (configuration.fingerprint() != before) is changed


def test_a_file_that_comes_and_goes_is_a_change(root: Path) -> None:
    configuration = Configuration.of(root, "prod")
    before = configuration.fingerprint()

    (root / "stacks" / "Pulumi.prod.yaml").unlink()
    assert configuration.fingerprint() != before

    (root / "stacks" / "Pulumi.prod.yaml").write_text(STACK)
    assert configuration.fingerprint() == before
