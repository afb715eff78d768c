"""What the README and the documentation show: blocks of code, and commands and paths in running text."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")))

_BLOCK = re.compile(
    r"(?:^ *<!-- (?P<note>(?:not run|run by)[^>]*?) -->\n)?"
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
    flags=re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code, and where it is."""

    page: Path
    line: int
    language: str
    text: str
    note: str
    """What a comment before it says: why it is not run, or which test runs its steps."""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def run_elsewhere(self) -> bool:
        """Whether `test_typed.py` leaves it out: another test runs it, or none can."""
        return self.note.startswith(("not run: ", "run by "))

    @property
    def commands(self) -> Sequence[str]:
        """What is typed: the lines behind a prompt, without the comments behind them."""
        return [
            without_comment(line.removeprefix("$ "))
            for line in self.text.splitlines()
            if line.startswith("$ ")
        ]


def blocks(page: Path) -> Iterator[Block]:
    """Every block of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("indent")) + 1
        yield Block(page, line, found["language"], dedent(found["text"]), found["note"] or "")


def all_blocks(language: str) -> list[Block]:
    """Every block in a language."""
    return [block for page in PAGES for block in blocks(page) if block.language == language]


def inline_code(page: Path) -> list[str]:
    """Code in running text and in tables."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [" ".join(code.split()) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


def without_comment(command: str) -> str:
    """A command as the shell would read it."""
    return re.sub(r"\s+#\s.*$", "", command)


def steps(command: str) -> Iterator[list[str]]:
    """The words of each command in a line, without what its output goes to."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="&|;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    skipped = False
    for word in lexer:
        if word in ("&&", "||", "|", ";"):
            yield words
            words, skipped = [], False
        elif word in (">", ">>", "<"):
            skipped = True
        elif skipped:
            skipped = False
        else:
            words.append(word)
    yield words
