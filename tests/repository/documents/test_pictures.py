"""Pictures of terminals differ only where the behaviour does, load nothing, and show no machine."""

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from lab.bed.chromium import Browser
from tests import ROOT
from tests.repository.documents.pages import PAGES
from tools.pictures.drawing import drawn, fixed
from tools.pictures.film import film
from tools.pictures.sessions import FIRST_HOUR, SESSIONS, WATCH, Picture
from tools.pictures.terminal import Frame

FOLDER = ROOT / "docs" / "pictures"
PICTURES = [picture for session in SESSIONS for picture in session if picture.shown]
SVG = "{http://www.w3.org/2000/svg}"
ONE = (
    "last change, 2026-11-17T02:00:11.000Z: 127.0.0.1:41889, node ports 31702 30211 31702, after 1 min 30 s\n"
    "2026-11-17T02:00:11Z watching\n2026-11-17T02:00:59Z files: up to date"
)
OTHER = (
    "last change, 2027-01-01T00:00:00.123Z: 127.0.0.1:33333, node ports 32001 31999 32001, after 0.9 s\n"
    "2027-01-01T00:00:00Z watching\n2027-01-01T00:00:00Z files: up to date"
)


def screens(path: Path) -> Sequence[str]:
    """The text of every screen of a picture, which is one unless it moves."""
    root = ET.parse(path).getroot()
    lines = {f"#{group.get('id')}": text(group) for group in root.iter(f"{SVG}g") if group.get("id")}
    strip = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").endswith("-film")]
    if not strip:
        return [text(root)]
    return ["\n".join(lines[use.get("href", "")] for use in frame) for frame in strip[0]]


def text(element: ET.Element) -> str:
    return "".join(part.text or "" for part in element.iter(f"{SVG}text")).replace("\N{NO-BREAK SPACE}", " ")


def named(picture: Picture) -> str:
    return f"{picture.name}.svg"


def test_times_and_ports_of_a_run_are_not_in_its_picture() -> None:
    assert fixed(ONE) == fixed(OTHER)
    first, *watched = fixed(ONE).splitlines()
    assert first.endswith("127.0.0.1:18080, node ports 30001 30002 30001, after 1.2 s")
    assert watched == ["2026-01-02T12:00:00Z watching", "2026-01-02T12:00:01Z files: up to date"]
    assert drawn("name", "title", ONE) == drawn("name", "title", OTHER)
    assert film("name", "title", [Frame(ONE, 1.0)]) == film("name", "title", [Frame(OTHER, 1.0)])


def test_what_the_settings_say_stays() -> None:
    assert fixed("no answer within 3 s (api.deadline), port 12049") == (
        "no answer within 3 s (api.deadline), port 12049"
    )


def test_a_film_has_every_screen_with_its_colours(tmp_path: Path) -> None:
    path = tmp_path / "film.svg"
    path.write_text(
        film("name", "title", [Frame("$ a", 1.0), Frame("$ a\n\x1b[32mone\ntwo\x1b[0m & <", 1.0)])
    )

    assert screens(path) == ["$ a", "$ a\none\ntwo & <"]
    green = re.search(r"\.(name-r\d) \{ fill: #7ec882 \}", path.read_text())
    assert green is not None
    for word in ("one", "two"):
        assert re.search(rf'class="{green[1]}"[^>]*>{word}<', path.read_text()), "a colour outlasts its line"


@pytest.mark.parametrize("picture", PICTURES, ids=named)
def test_every_picture_is_there_and_shows_its_commands(picture: Picture) -> None:
    shown = "\n".join(screens(FOLDER / named(picture)))

    for step in picture.steps:
        assert f"$ {step.command}" in shown
        assert [moment.words for moment in step.moments if moment.words not in shown] == []


@pytest.mark.parametrize("picture", PICTURES, ids=named)
def test_no_picture_shows_the_machine_it_was_taken_on(picture: Picture) -> None:
    shown = "\n".join(screens(FOLDER / named(picture)))

    assert re.findall(r"(?<![\w.:])/(?:tmp|root|work|var|home/(?!you/))\S*", shown) == []
    assert set(re.findall(r"127\.0\.0\.1:(\d+)", shown)) <= {"18080"}
    assert re.findall(r"password of \w+: *\S+", shown) == []


def test_the_films_end_with_what_a_reader_came_for() -> None:
    first_hour, watched = (screens(FOLDER / named(picture))[-1] for picture in (FIRST_HOUR, WATCH))

    assert "spec.ports[0].targetPort: 12049 → 13049" in first_hour
    assert "$ dittoinfra status files" in first_hour
    assert "media/nfs: mount -t nfs -o vers=4.0,port=13049 203.0.113.7:/EXPORT /mnt" in first_hour
    assert "the next run: nothing to change" in first_hour
    lines = iter(re.sub(r" +", " ", watched).splitlines())
    for expected in (
        "12:00:02Z files: media/nfs moved from port 13049 to 12049",
        "files: up to date: 1 updated",
        "files: media is unreachable",
        "files: media answers again",
        "files: removed media/smb (disabled)",
        "stopped",
    ):
        assert any(expected in line for line in lines), expected


@pytest.mark.parametrize("picture", [FIRST_HOUR, WATCH], ids=named)
def test_a_film_plays_unless_its_reader_wants_no_motion(browser: Browser, picture: Picture) -> None:
    path = FOLDER / named(picture)
    last = (1 - len(screens(path))) * float(re.findall(r"translate\(0, ([\d.]+)\)", path.read_text())[1])
    where = f"new DOMMatrix(getComputedStyle(document.querySelector('.{picture.name}-film')).transform).f"

    assert path.stat().st_size < 200_000
    with browser.page(path) as page:
        [played] = page.run("document.getAnimations().map(each => each.animationName)")
        page.run("document.getAnimations().forEach(each => { each.pause(); each.currentTime = 0; })")
        assert (played, page.run(where)) == (f"{picture.name}-play", 0)
    with browser.page(path, still=True) as page:
        assert page.run("document.getAnimations().length") == 0
        assert page.run(where) == pytest.approx(last, abs=0.1)


def test_no_picture_loads_anything_and_each_is_shown() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)

    for path in FOLDER.glob("*.svg"):
        source = path.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
        assert not re.search(r"(url\(|href=\")['\"]?https?:", source), path.name
        assert f"pictures/{path.name}" in shown, path.name
