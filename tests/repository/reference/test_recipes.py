"""Every recipe can be used as it is, and leads to what its heading says."""

import re

import pytest

from dittoinfra.settings import StackSettings, service_settings
from dittoinfra.settings.configuration import load
from tests import ROOT
from tests.repository.reference.project import handed_over, parsed

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = [
    (title, example)
    for title, text in re.findall(r"^## (.+)\n((?:(?!^## ).*\n)+)", PAGE, flags=re.MULTILINE)
    for example in re.findall(r"^```yaml\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
]


def settings(example: str) -> StackSettings:
    return load(handed_over(parsed(example)["config"]), encrypted=())


@pytest.mark.parametrize(("title", "example"), RECIPES, ids=[title for title, _ in RECIPES])
def test_every_recipe_is_a_configuration(title: str, example: str) -> None:
    found = settings(example)

    assert found.servers or found.servers_from, title


def test_every_recipe_has_one() -> None:
    assert {title for title, _ in RECIPES} == set(re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE))


def test_the_first_one_does_what_it_says() -> None:
    title, example = RECIPES[0]
    [server] = settings(example).servers
    nfs = service_settings(server, "nfs")

    assert title == "NFS on 2049, only from 10.0.0.0/8"
    assert (nfs.service_port, [str(each) for each in nfs.source_ranges]) == (2049, ["10.0.0.0/8"])
