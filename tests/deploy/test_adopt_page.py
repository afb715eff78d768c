"""The page on migration says what the program says."""

from pathlib import Path

import pytest
import yaml

from dittoinfra.decide.refusals import TakeoverForbidden
from dittoinfra.program.adoption import PERMISSIONS
from dittoinfra.settings import StackSettings

PAGE = (Path(__file__).parents[2] / "docs" / "migration.md").read_text()


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_configuration_on_the_page_is_valid() -> None:
    block = PAGE.partition("```yaml\n")[2].partition("```")[0]
    (servers,) = yaml.safe_load(block)["config"].values()

    (server,) = StackSettings.model_validate({"servers": servers}).servers

    assert server.adopt
    assert server.deploy is not None


def test_the_refusal_on_the_page_is_the_programs() -> None:
    assert str(TakeoverForbidden("media", 6, tuple(PERMISSIONS))) in words(PAGE)


@pytest.mark.parametrize("permission", PERMISSIONS)
def test_what_is_permitted_is_taken_back(permission: str) -> None:
    assert f"pulumi config set kubernetes:{permission} true" in PAGE
    assert f"pulumi config rm kubernetes:{permission}" in PAGE
