"""The documentation as a site: `make docs` builds it into `site/`, with every warning an error.

Sphinx with MyST and Furo, because these pages are plain Markdown that a code host shows as well, and because
Sphinx checks every link between them, has a search that works from `file://` without a server, and is kept
by people who have kept it for years. Furo is light and dark, readable on a telephone, and loads nothing from
elsewhere.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

from dittoinfra import __version__

project = "dittoinfra"
author = "the authors of dittoinfra"
project_copyright = "the authors of dittoinfra, Apache 2.0"
release = version = __version__

extensions = ["myst_parser"]
myst_heading_anchors = 5  # the addresses that a code host gives headings
include_patterns = ["*.md", "comparison/*.md"]
nitpicky = True

html_theme = "furo"
html_title = "dittoinfra"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# A browser does not let a page from `file://` read others, which the excerpts below search results need.
html_show_search_summary = False
html_search_scorer = str(Path(__file__).parent / "_static" / "search_order.js")
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f9f", "color-brand-content": "#1f5f9f"},
    "dark_css_variables": {"color-brand-primary": "#7fb8ee", "color-brand-content": "#7fb8ee"},
}

_CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+)\)")


def setup(app: Sphinx) -> None:
    """What the pages need of Sphinx beyond its settings."""
    app.connect("source-read", _with_changelog)
    app.connect("source-read", _without_links_to_folders)


def _with_changelog(app: Sphinx, page: str, source: list[str]) -> None:
    """The changelog lies outside this folder: its page shows it, and links to it lead to that page."""
    if page == "changelog":
        app.env.note_dependency(str(_CHANGELOG))
        source[0] = _CHANGELOG.read_text(encoding="utf-8").replace("](docs/", "](")
    source[0] = source[0].replace("](../CHANGELOG.md)", "](changelog.md)")


def _without_links_to_folders(app: Sphinx, page: str, source: list[str]) -> None:
    """A code host shows a folder; a site of pages has nothing to show there, and keeps the words."""
    here = Path(app.env.doc2path(page)).parent
    source[0] = _LINK.sub(lambda link: link[1] if (here / link[2]).is_dir() else link[0], source[0])
