"""The page in a real browser: for everybody, with a keyboard, without network, whatever names it shows."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dittoinfra.model import State
from dittoinfra.reports.build import build_report
from dittoinfra.reports.report_formats import page
from dittoinfra.stacks.result import FleetResult
from lab.bed.chromium import Browser, Page
from tests.unit.reports.make import PORT_MOVED, Adapter, Server, Stack, large, result

HOSTILE = "\"><script>document.title='owned'</script><img src=http://evil.example/x onerror=alert(1)>'&lt;"


@pytest.fixture
def small() -> FleetResult:
    """One stack, two servers: something goes, something moves, a server does not answer."""
    media = Server(
        "media",
        [
            Adapter(
                "nfs",
                "update",
                port=12050,
                external=["192.0.2.7:2049"],
                hostname="nfs.example.com",
                differences=PORT_MOVED,
            ),
            Adapter("smb", "delete", port=12445),
        ],
    )
    silent = Server("archive", [Adapter("nfs", state=State.KEPT)], why="the connection was refused")
    return result(Stack("prod", [media, silent], [("warning", "archive: unreachable")]))


def written(folder: Path, fleet: FleetResult) -> Path:
    path = folder / "report.html"
    path.write_text(page(build_report(fleet, datetime(2026, 1, 2, 3, 4, tzinfo=UTC))), encoding="utf-8")
    return path


def focused(shown: Page) -> str:
    """What has the focus, as a reader's software would call it."""
    return str(
        shown.run(
            "(a => [a.tagName, a.id, a.getAttribute('aria-label') || a.textContent.trim().slice(0, 60)])"
            "(document.activeElement).join(' ')"
        )
    )


def test_everything_is_on_the_page(browser: Browser, small: FleetResult, tmp_path: Path) -> None:
    with browser.page(written(tmp_path, small)) as shown:
        text = shown.run("document.body.innerText")
        removal = shown.run("document.querySelector('.alarm').innerText")
        lanes = shown.run(
            "[...document.querySelectorAll('.lane')].map(l => l.innerText.replace(/\\s+/g, ' '))"
        )
        first = shown.run("[...document.querySelectorAll('main h2')].map(h => h.innerText)[0]")

    assert "2 adapters of 2 servers in 1 stack: 1 to update, 1 to delete" in text
    assert first == "To be removed"
    assert "Service media-adapter-smb to delete in prod: disabled on the server" in removal.replace("\n", " ")
    assert len(lanes) == 3
    assert re.search("smb.*no longer reachable", lanes[0])
    assert re.search("nfs :12050.*media-adapter-nfs.*nfs.example.com.*192.0.2.7:2049", lanes[1])
    assert "No answer: the connection was refused" in text


@pytest.mark.parametrize("dark", [False, True])
def test_it_asks_for_nothing_and_complains_about_nothing(
    browser: Browser, small: FleetResult, tmp_path: Path, dark: bool
) -> None:
    path = written(tmp_path, small)
    with browser.page(path, dark=dark) as shown:
        background = shown.run("getComputedStyle(document.body).backgroundColor")

        assert shown.requests() == [path.as_uri()]
        assert shown.complaints() == []
    brightness = sum(map(int, re.findall(r"\d+", background)[:3])) / 3
    assert (brightness < 64) if dark else (brightness > 192)


def test_names_cannot_smuggle_anything_in(browser: Browser, tmp_path: Path) -> None:
    server = Server(HOSTILE, [Adapter(HOSTILE, "create", hostname=HOSTILE)], why=HOSTILE, namespace=HOSTILE)
    fleet = result(Stack(HOSTILE, [server], [("error", HOSTILE), ("warning", HOSTILE)], exit_code=1))
    path = written(tmp_path, fleet)

    with browser.page(path) as shown:
        assert shown.run("document.title").startswith("dittoinfra preview")
        assert shown.run("document.scripts.length") == 1
        assert shown.run("document.images.length") == 0
        assert shown.run("document.querySelector('.stack h3').textContent") == HOSTILE
        assert shown.requests() == [path.as_uri()]
        assert shown.complaints() == []


def test_a_script_that_came_in_would_not_run(browser: Browser, small: FleetResult, tmp_path: Path) -> None:
    path = written(tmp_path, small)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("</main>", "<script>document.title='owned'</script></main>"), encoding="utf-8"
    )

    with browser.page(path) as shown:
        assert shown.run("document.title") != "owned"
        assert "Content Security Policy" in " ".join(shown.complaints())


def test_a_keyboard_is_enough(browser: Browser, small: FleetResult, tmp_path: Path) -> None:
    with browser.page(written(tmp_path, small)) as shown:
        stops = []
        for _ in range(40):
            shown.press("Tab")
            stop = focused(shown)
            if stop.startswith("BODY") or stop in stops:
                break
            stops.append(stop)
            assert shown.run("getComputedStyle(document.activeElement).outlineStyle") != "none", stop
        assert stops[0] == "A  Skip to the stacks"
        assert any("media in prod: to delete" in stop for stop in stops)
        assert any(stop.startswith("INPUT search") for stop in stops)
        assert any(stop.startswith("SUMMARY  prod") for stop in stops)
        assert any("1 property" in stop for stop in stops)

        shown.run("document.querySelector('.props summary').focus()")
        assert shown.run("document.querySelector('.props').open") is True, "few values are shown at once"
        shown.press("Enter", text="\r")
        assert shown.run("document.querySelector('.props').open") is False
        shown.run("document.activeElement.blur()")
        shown.press("/", text="/")
        assert shown.run("document.activeElement.id") == "search"
        shown.type("archive")
        assert shown.run(
            "[...document.querySelectorAll('.server:not([hidden]) h4')].map(h => h.innerText)"
        ) == ["archive"]
        assert shown.run("document.getElementById('found').value") == "1 of 2 servers"
        shown.press("Escape")
        assert shown.run("document.querySelectorAll('.server:not([hidden])').length") == 2


def test_it_works_without_scripts(browser: Browser, small: FleetResult, tmp_path: Path) -> None:
    with browser.page(written(tmp_path, small), script=False) as shown:
        # With scripts off only the protocol can look; what it evaluates is not the page's.
        root = shown.ask("DOM.getDocument", depth=-1)["root"]["nodeId"]
        tools = shown.ask("DOM.querySelector", nodeId=root, selector="#tools[hidden]")["nodeId"]
        stack = shown.ask("DOM.querySelector", nodeId=root, selector="details.stack[open]")["nodeId"]
        lane = shown.ask("DOM.querySelector", nodeId=root, selector=".lane.delete .was")["nodeId"]
        box = shown.ask("DOM.getBoxModel", nodeId=lane)["model"]

    assert tools, "a filter that cannot filter is not shown"
    assert stack
    assert box["width"] > 0


@pytest.mark.parametrize("width", [320, 480, 800, 1280, 1920])
def test_nothing_sticks_out(browser: Browser, small: FleetResult, tmp_path: Path, width: int) -> None:
    with browser.page(written(tmp_path, small), width=width) as shown:
        assert shown.run("document.documentElement.scrollWidth") <= width


def test_paper_shows_what_is_folded(browser: Browser, small: FleetResult, tmp_path: Path) -> None:
    with browser.page(written(tmp_path, small)) as shown:
        shown.ask("Emulation.setEmulatedMedia", media="print")
        shown.run("dispatchEvent(new Event('beforeprint'))")

        assert shown.run("document.querySelector('.props table').getBoundingClientRect().height") > 0
        assert shown.run("getComputedStyle(document.getElementById('tools')).display") == "none"


def test_two_thousand_servers_stay_readable(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, large(20, 100))
    assert path.stat().st_size < 8_000_000

    with browser.page(path) as shown:
        assert shown.run("document.querySelectorAll('.server').length") == 1900
        visible = "[...document.querySelectorAll('.server')].filter(s => s.checkVisibility())"
        drawn = shown.run(f"{visible}.map(s => s.dataset.calm)")
        assert set(drawn) == {"no"}, "what is left alone is folded away"
        stops = shown.run("document.querySelectorAll('.map a:not([tabindex])').length")
        assert stops < 200
        target = "document.querySelector('.map a.same[tabindex]')"
        shown.run(f"{target}.click()")
        reached = shown.run("document.querySelector(location.hash).checkVisibility()")
        assert reached, "a link leads even to what is folded away"
        assert shown.complaints() == []


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as the Web Content Accessibility Guidelines measure it."""

    def luminance(colour: str) -> float:
        channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
        red, green, blue = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(browser: Browser, small: FleetResult, tmp_path: Path, dark: bool) -> None:
    script = """
      [...document.querySelectorAll('.wrap *')].filter(e => e.checkVisibility() && [...e.childNodes]
        .some(n => n.nodeType === 3 && n.data.trim())).map(e => {
          let behind = e;
          while (behind && /, 0\\)$|transparent/.test(getComputedStyle(behind).backgroundColor))
            behind = behind.parentElement;
          return [getComputedStyle(e).color, getComputedStyle(behind || document.body).backgroundColor,
                  e.className + ' ' + e.textContent.trim().slice(0, 40)];
        })
    """
    with browser.page(written(tmp_path, small), dark=dark) as shown:
        texts = shown.run(script)

    assert len(texts) > 40
    faint = {what: contrast(ink, paper) for ink, paper, what in texts if contrast(ink, paper) < 4.5}
    assert faint == {}
