"""The README leads where it says, and begins with what anyone can run."""

import re

from tests import ROOT

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_commands_are_the_demo_and_six_lines_to_an_update() -> None:
    first, *lines = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)[:7]

    assert first == "make demo"
    assert lines[-1].startswith("dittoinfra up ")
    assert "make test-all" in PAGE.partition("## Develop")[2]


def test_every_link_within_the_project_leads_to_a_file() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)

    assert "docs/overview.svg" in links
    assert [link for link in links if not (ROOT / link).is_file()] == []
