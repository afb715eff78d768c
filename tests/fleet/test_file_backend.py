"""Which backend the CLI would use, and what is seen of a state in files without it."""

import json
from pathlib import Path

import pytest

from dittoinfra.automation.file_backend import backend_url, has_no_marks

PROJECT = {"name": "dittoinfra", "backend": {"url": "file:///written"}}


def test_the_environment_comes_before_the_project_and_that_before_the_login(tmp_path: Path) -> None:
    home = {"PULUMI_HOME": str(tmp_path)}
    (tmp_path / "credentials.json").write_text(json.dumps({"current": "file://~"}))
    chosen = {"PULUMI_BACKEND_URL": "s3://state", **home}

    assert backend_url(PROJECT, chosen) == "s3://state"
    assert backend_url(PROJECT, home) == "file:///written"
    assert backend_url({"name": "dittoinfra"}, home) == "file://~"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"current": ""}'])
def test_whoever_is_not_logged_in_is_for_the_cli_to_tell(tmp_path: Path, content: str) -> None:
    (tmp_path / "credentials.json").write_text(content)

    assert backend_url({}, {"PULUMI_CREDENTIALS_PATH": str(tmp_path), "PULUMI_HOME": "/nowhere"}) is None


@pytest.mark.parametrize(
    ("url", "state", "certain"),
    [
        ("file://{root}", '{"latest": {"resources": []}}', True),
        ("file://.", '{"latest": {"resources": []}}', True),
        ("file://{root}?no_tmp_dir=true", '{"latest": {"resources": []}}', True),
        ("file://{root}", '{"latest": {"pending_operations": [{}]}}', False),
        ("file://{root}", None, False),
        ("https://api.example.com", '{"latest": {"resources": []}}', False),
    ],
)
def test_a_state_without_marks_is_seen_where_it_can_be(
    tmp_path: Path, url: str, state: str | None, certain: bool
) -> None:
    folder = tmp_path / ".pulumi" / "stacks" / "dittoinfra"
    folder.mkdir(parents=True)
    if state is not None:
        (folder / "prod.json").write_text(state)

    assert has_no_marks(url.format(root=tmp_path), tmp_path, "dittoinfra", "prod") is certain
