"""The site is built from the pages alone, can be searched, and a broken link stops the build."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests import ROOT


def build(source: Path, target: Path) -> "subprocess.CompletedProcess[str]":
    """As `make docs` does it."""
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", source, target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def pages(folder: Path, **texts: str) -> Path:
    """A small site with our settings."""
    shutil.copytree(ROOT / "docs" / "_static", folder / "_static")
    shutil.copy(ROOT / "docs" / "conf.py", folder)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_broken_links_are_named(tmp_path: Path) -> None:
    index = "# Title\n\n[a](gone.md) [b](#nowhere) [c](../docs/gone.svg)\n\n![d](gone.svg)\n"

    done = build(pages(tmp_path / "docs", index=index), tmp_path / "site")

    assert done.returncode == 1
    assert all(name in done.stderr for name in ("gone.md", "nowhere", "../docs/gone.svg", "gone.svg"))


def test_a_page_that_nothing_leads_to_is_named(tmp_path: Path) -> None:
    done = build(pages(tmp_path / "docs", index="# Title\n", lost="# Lost\n"), tmp_path / "site")

    assert done.returncode == 1
    assert "lost.md" in done.stderr


def test_it_needs_no_network_and_can_be_searched(tmp_path: Path) -> None:
    done = build(pages(tmp_path / "docs", index="# Title\n\nPortmapper.\n"), tmp_path / "site")

    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|<link[^>]+href)="(?:https?:)?//[^"]+', page) == []
    styles = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.css"))
    assert re.findall(r"url\(['\"]?https?:[^)]+", styles) == []
    assert "portmapp" in (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
