"""Pictures of terminals differ only where the behaviour does, and load nothing."""

import re

import pytest

from tests import ROOT
from tests.repository.documents.pages import PAGES
from tools.pictures.__main__ import PICTURES, Picture
from tools.pictures.drawing import drawn, fixed

FOLDER = ROOT / "docs" / "pictures"
ONE = (
    "last change, 2026-11-17T02:00:11.000Z: 127.0.0.1:41889, node ports 31702 30211 31702, after 1 min 30 s\n"
)
OTHER = "last change, 2027-01-01T00:00:00.123Z: 127.0.0.1:33333, node ports 32001 31999 32001, after 0.9 s\n"


def test_times_and_ports_of_a_run_are_not_in_its_picture() -> None:
    assert fixed(ONE) == fixed(OTHER)
    assert fixed(ONE).endswith("127.0.0.1:18080, node ports 30001 30002 30001, after 1.2 s\n")
    assert drawn("name", "title", ONE, 110) == drawn("name", "title", OTHER, 110)


def test_what_the_settings_say_stays() -> None:
    assert fixed("no answer within 3 s (api.deadline), port 12049") == (
        "no answer within 3 s (api.deadline), port 12049"
    )


@pytest.mark.parametrize(
    "picture", [each for each in PICTURES if each.shown], ids=lambda each: f"{each.name}.svg"
)
def test_every_picture_is_there_and_shows_its_command(picture: Picture) -> None:
    text = (FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8").replace("&#160;", " ")

    assert picture.command in text


def test_no_picture_loads_anything_and_each_is_shown() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)

    for path in FOLDER.glob("*.svg"):
        text = path.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
        assert not re.search(r"(url\(|href=\")['\"]?https?:", text), path.name
        assert f"pictures/{path.name}" in shown, path.name
