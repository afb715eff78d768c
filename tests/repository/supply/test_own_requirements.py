"""Programs of this repository that are started on their own install the package that they are part of."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("folder", ["package", "examples/component", "examples/memcached"])
def test_the_path_in_the_requirements_leads_to_this_package(folder: str) -> None:
    [line] = (ROOT / folder / "requirements.txt").read_text().splitlines()
    path = line.partition("#")[0].strip()

    # The engine installs them from inside the folder.
    assert (ROOT / folder / path).resolve() == ROOT
    assert (ROOT / "pyproject.toml").is_file()
