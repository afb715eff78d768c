"""The comment: short, safe, the removals first, and never longer than a comment may be."""

from datetime import UTC, datetime

import pytest
from markdown_it import MarkdownIt

from dittoinfra.reports.build import build_report
from dittoinfra.reports.report_formats import LIMIT, MARKER, markdown
from dittoinfra.request import Operation
from dittoinfra.stacks.result import FleetResult
from tests.unit.reports.make import PORT_MOVED, Adapter, Server, Stack, large, result

HOSTILE = (
    "</details><script>alert(1)</script> @everyone #1 `code` ``more`` ![x](http://evil.example/x) | a |\n\n"
    "# heading <!-- --> [link](javascript:alert(1)) https://evil.example \\| \u202egnp.exe"
)


def comment(fleet: FleetResult) -> str:
    return markdown(build_report(fleet, datetime(2026, 1, 2, tzinfo=UTC)))


def test_the_headline_and_the_removals_come_first() -> None:
    nfs, smb = Adapter("nfs", "update", differences=PORT_MOVED), Adapter("smb", "delete")
    lines = comment(result(Stack("prod", [Server("media", [nfs, smb])]), Stack("dev"))).splitlines()

    assert lines[:7] == [
        MARKER,
        "### dittoinfra preview: 1 to update, 1 to delete in 2 stacks",
        "",
        "> [!WARNING]",
        "> **To be removed**",
        "> - `-` Service `media-adapter-smb` to delete in `prod`: disabled on the server",
        "",
    ]
    assert lines[7:9] == ["<details>", "<summary><code>prod</code> ✓ 1 to update, 1 to delete</summary>"]
    reason = lines.index(
        "- `~` Service `media-adapter-nfs` to update: served, moved from port 12049 to 12050"
    )
    assert lines[reason + 1] == "  - `spec.ports[0].port`: `12049` → `12050`"


def test_what_was_done_is_told_as_done() -> None:
    text = comment(
        result(Stack("prod", [Server("media", [Adapter("nfs", "create")])]), operation=Operation.UP)
    )

    assert "### dittoinfra up: 1 created in 1 stack" in text
    assert "to create" not in text


def test_a_failed_stack_is_named_with_its_error() -> None:
    text = comment(result(Stack("prod", [], [("error", "the stack is locked")], exit_code=1)))

    assert "> [!CAUTION]\n> **Failed**\n> - `prod`: `the stack is locked`" in text
    assert "✗ failed</summary>" in text
    assert text.count("the stack is locked") == 1


@pytest.mark.parametrize("text", [HOSTILE, "`", "``", "a`", "|", "", "\n", "@octocat", "<b>"])
def test_names_and_messages_stay_text(text: str) -> None:
    server = Server(
        text, [Adapter(text, "delete"), Adapter(text + "2", "create", hostname=text)], namespace=text
    )
    said = [("error", text), ("warning", text), ("info", text)]
    written = comment(result(Stack(text, [server], said, exit_code=1)))

    # As a reader of Markdown sees it: code spans are opaque, whatever else carries the text is a leak.
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(written)
    tokens = [token for block in parsed for token in (block, *(block.children or ()))]
    outside = "".join(token.content for token in tokens if token.type == "text")
    assert not {"link_open", "image", "code_block", "fence"} & {token.type for token in tokens}
    for word in ("@everyone", "@octocat", "evil.example", "alert(1)", "\u202e"):
        assert word not in outside
    markup = [token.content for token in tokens if token.type in ("html_block", "html_inline")]
    assert not any("<script" in each or "<b>" in each for each in markup)
    assert sum(each.count("<details>") for each in markup) == sum(each.count("</details>") for each in markup)
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3"]
    rows = sum(token.type == "tr_open" for token in tokens)
    cells = sum(token.type in ("td_open", "th_open") for token in tokens)
    assert cells == 5 * rows


@pytest.mark.parametrize("size", [(1, 1), (20, 5), (20, 100), (400, 3)])
def test_it_fits_into_a_comment(size: tuple[int, int]) -> None:
    text = comment(large(*size))

    assert len(text) <= LIMIT
    assert text.startswith(MARKER)
    assert text.count("<details>") == text.count("</details>")


def test_cutting_is_said_and_removals_outlive_it() -> None:
    servers = [Server(f"media-{i}", [Adapter("nfs", "delete")]) for i in range(60)]
    loud = [Stack(f"stack-{i}", servers, [("warning", "x" * 900)] * 50) for i in range(20)]
    text = comment(result(*loud))

    assert len(text) <= LIMIT
    assert "Some detail is left out" in text
    assert "`media-0-adapter-nfs` to delete in `stack-0`" in text
    assert "more" in text


def test_even_the_worst_fits() -> None:
    servers = [Server("s" * 500 + str(i), [Adapter("`" * 300 + str(i), "delete")]) for i in range(60)]
    worst = [Stack("n" * 500 + str(i), servers, [("error", "e" * 5000)] * 60, exit_code=1) for i in range(60)]

    assert len(comment(result(*worst))) <= LIMIT
