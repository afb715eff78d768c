"""The page of threats: whatever it says is shown somewhere, is shown there."""

import re

import pytest

from tools.locked import ROOT

PAGE = (ROOT / "docs" / "threats.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "shown by" not in line]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"tests/[\w/]+\.py", PAGE))))
def test_what_it_names_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


def test_every_row_names_a_test() -> None:
    assert len(ROWS) > 30
    for row in ROWS:
        _, _, shown, _ = re.split(r"(?<!\\) ?\| ?", row.removeprefix("| "))
        assert re.fullmatch(r"`tests/[\w/]+\.py`(, `tests/[\w/]+\.py`)*", shown), row


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(deploy/[\w/]+|[\w-]+\.yaml)`", PAGE))))
def test_files_of_the_project_that_it_names_are_there(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "deploy" / "kubernetes" / "roles" / path).exists()
