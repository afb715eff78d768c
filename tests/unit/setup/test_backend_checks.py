"""What the backend has to allow before a new stack is begun."""

from pathlib import Path

import pytest

from dittoinfra.setup.backend_checks import free_stack_name, passphrase_problem
from dittoinfra.setup.stack_template import InvalidAnswerError

BUCKET = {"PULUMI_BACKEND_URL": "s3://key:pw-1@bucket?region=eu"}
UNSET = "s3://bucket encrypts its secrets with a passphrase, and none is set"


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        (BUCKET, UNSET),
        ({**BUCKET, "PULUMI_CONFIG_PASSPHRASE_FILE": ""}, UNSET),
        ({**BUCKET, "PULUMI_CONFIG_PASSPHRASE_FILE": "none"}, "none cannot be read: No such file"),
        ({**BUCKET, "PULUMI_CONFIG_PASSPHRASE_FILE": "."}, ". cannot be read: Is a directory"),
        ({**BUCKET, "PULUMI_CONFIG_PASSPHRASE_FILE": "phrase"}, None),
        # Empty is a passphrase, too.
        ({**BUCKET, "PULUMI_CONFIG_PASSPHRASE": ""}, None),
        ({"PULUMI_BACKEND_URL": "https://api.pulumi.com"}, None),
        # Only the CLI can tell which backend there is.
        ({}, None),
    ],
)
def test_a_missing_passphrase_is_seen_where_one_is_needed(
    tmp_path: Path, variables: dict[str, str], problem: str | None
) -> None:
    (tmp_path / "phrase").touch()

    found = passphrase_problem(tmp_path, {"PULUMI_HOME": str(tmp_path), **variables})

    assert (found is None) is (problem is None)
    assert (problem or "") in (found or "")
    assert "pw-1" not in (found or "")


def test_the_backend_of_the_project_counts(tmp_path: Path) -> None:
    home = {"PULUMI_HOME": str(tmp_path)}
    (tmp_path / "Pulumi.yaml").write_text("name: files\nbackend: {url: 'gs://states'}\n")

    assert "gs://states encrypts" in (passphrase_problem(tmp_path, home) or "")


def test_a_stack_that_holds_resources_needs_its_own_file() -> None:
    held = {"prod": 7}

    assert free_stack_name("test", "files", held) == "test"
    assert free_stack_name("prod", "files", held, ("prod",)) == "prod"
    with pytest.raises(InvalidAnswerError, match="stack prod of project files already holds 7 resources"):
        free_stack_name("prod", "files", held)
    with pytest.raises(InvalidAnswerError, match="must be letters"):
        free_stack_name("../prod", "files", held)
