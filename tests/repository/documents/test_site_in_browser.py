"""The site in a real browser, from a folder and without a network: wide and narrow, light and dark."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.bed.chromium import Browser, Page
from tests import ROOT
from tests.repository.documents.test_site import build

CONTRAST = 4.5
"""What WCAG 2 asks of text of ordinary size (AA)."""

UNREADABLE = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (front, back) =>
    back.map((value, i) => (front[i] * front[3] + value * (255 - front[3])) / 255);
  const ground = element => element
    ? over(rgba(getComputedStyle(element).backgroundColor), ground(element.parentElement))
    : [255, 255, 255];
  const linear = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([red, green, blue]) =>
    0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  const contrast = element => {
    const back = ground(element);
    const [dark, bright] =
      [luminance(over(rgba(getComputedStyle(element).color), back)), luminance(back)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const shown = [];
  while (texts.nextNode()) {
    const {data, parentElement} = texts.currentNode;
    if (data.trim() && parentElement.checkVisibility({visibilityProperty: true})) shown.push(parentElement);
  }
  if (!shown.length) return ['no text at all'];
  return shown.filter(element => contrast(element) < LEAST)
    .map(element => `contrast ${contrast(element).toFixed(1)}: ${element.textContent.trim().slice(0, 40)}`);
})()
""".replace("LEAST", str(CONTRAST))

TOO_WIDE = """
(() => {
  const page = document.documentElement;
  const edge = document.querySelector('article').getBoundingClientRect().right + 1;
  const scrolls = element => element.tagName !== 'ARTICLE'
    && (getComputedStyle(element).overflowX === 'auto' || scrolls(element.parentElement));
  const wide = [...document.querySelectorAll('article :is(p, li, pre, img, table, .table-wrapper)')]
    .filter(element => element.getBoundingClientRect().right > edge && !scrolls(element.parentElement))
    .map(element => `too wide: ${element.tagName} ${element.textContent.trim().slice(0, 40)}`);
  return page.scrollWidth > page.clientWidth ? ['the page scrolls sideways', ...wide] : wide;
})()
"""

MISSING = """
Promise.all([...document.images].map(
  image => image.decode().then(() => [], () => [`no picture: ${image.src}`])
)).then(found => found.flat())
"""

FOUND = """
new Promise(done => {
  const look = () => /found \\d+ page/.test(document.querySelector('.search-summary')?.innerText)
    ? done([...document.querySelectorAll('#search-results li a')].map(link => link.getAttribute('href')))
    : requestAnimationFrame(look);
  look();
})
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole of it, as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "docs", folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def faults(page: Page) -> Iterator[str]:
    """What a reader would complain about."""
    for script in (UNREADABLE, TOO_WIDE, MISSING):
        yield from page.run(script)
    yield from (f"asks {url}" for url in page.requests() if not url.startswith(("file:", "data:")))
    yield from page.complaints()


@pytest.mark.long
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_every_page_can_be_read(browser: Browser, site: Path, width: int, dark: bool) -> None:
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    seen = {}
    for path in pages:
        with browser.page(path, width=width, dark=dark) as page:
            background = page.run("getComputedStyle(document.body).backgroundColor")
            assert background == ("rgb(19, 20, 22)" if dark else "rgb(255, 255, 255)")
            seen[str(path.relative_to(site))] = list(faults(page))

    assert {"index.html", "tutorial.html", "configuration.html", "runbook.html"} <= seen.keys()
    assert {name: found for name, found in seen.items() if found} == {}


@pytest.mark.parametrize("width", [1280, 420])
def test_the_search_finds_a_setting_and_its_reference_first(browser: Browser, site: Path, width: int) -> None:
    with browser.page(site / "index.html", width=width) as page:
        if width == 420:
            page.run("document.querySelector('.mobile-header label[for=__navigation]').click()")
        page.run("document.querySelector('input.sidebar-search').focus()")
        page.type("approveRemovals")
        page.press("Enter", text="\r")
        page.wait_for(
            lambda event: (
                event["method"] == "Page.frameNavigated"
                and "search.html?q=approveRemovals" in event["params"]["frame"]["url"]
            )
        )
        found = page.run(FOUND)
        left = [url for url in page.requests() if not url.startswith(("file:", "data:"))]

    assert found[0] == "configuration.html"
    assert {"concepts.html", "recipes.html"} <= set(found)
    assert left == []
