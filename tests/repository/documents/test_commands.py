"""Every command on a page is one that its program understands, or says why it is not looked at."""

import ast
import importlib.util
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests import ROOT
from tests.repository.documents.command_line import command_names, complaint
from tests.repository.documents.pages import PAGES, Block, all_blocks, blocks, inline_code, steps

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
SHELL = {".", "cd", "chmod", "export", "git", "kill", "mkdir", "pip", "python3", "tar", "test", "touch"}
"""What every reader knows, and what is the same everywhere."""

CONSOLE = all_blocks("console")
COMMANDS = [(block, words) for block in CONSOLE for line in block.commands for words in steps(line)]


def program(words: list[str]) -> str:
    """The program of a command; a variable that is only set has none."""
    return "export" if "=" in words[0] else words[0].removeprefix(".venv/bin/")


def described(value: object) -> str | None:
    return str(value) if isinstance(value, Block) else " ".join(value) if isinstance(value, list) else None


def test_there_are_commands_on_every_page_that_a_user_reads_first() -> None:
    pages = {block.page.relative_to(ROOT).as_posix() for block, _ in COMMANDS}

    assert {
        "README.md",
        "docs/tutorial.md",
        "docs/runbook.md",
        "docs/splitting.md",
        "docs/upgrading.md",
    } <= pages


@pytest.mark.parametrize(("block", "words"), COMMANDS, ids=described)
def test_a_command_is_understood(block: Block, words: list[str]) -> None:
    match [program(words), *words[1:]]:
        case ["dittoinfra", *arguments]:
            assert complaint(arguments) is None
        case ["make", *targets]:
            assert set(targets) <= TARGETS
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module) is not None
        case ["pulumi", *_]:
            pass  # below, with the CLI
        case [name, *_]:
            assert name in SHELL or block.note.startswith("not run: "), f"{name}: say why it is not run"


EVERY = [block for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize("block", [block for block in EVERY if block.note.startswith("run by ")], ids=str)
def test_a_block_is_run_by_the_test_that_it_names(block: Block) -> None:
    path, _, name = block.note.removeprefix("run by ").partition("::")
    code = ast.parse((ROOT / path).read_text(encoding="utf-8"))

    assert name in {node.name for node in ast.walk(code) if isinstance(node, ast.FunctionDef)}
    told = words_in(code)
    if block.page.name not in told:  # a test that reads its page takes the block from it
        typed = [words for line in block.commands for words in steps(line) if not is_plumbing(words)]
        assert typed, "the test neither reads the page nor could it have these commands in it"
        options = {word for words in typed for word in words[1:] if re.fullmatch("-{0,2}[a-z][a-z-]*", word)}
        assert options <= told


def words_in(code: ast.Module) -> set[str]:
    """The words of all texts in a program that are not there for its readers."""
    documents = {node.value for node in ast.walk(code) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(code) if isinstance(node, ast.Constant) and node not in documents]
    return {word for node in texts if isinstance(node.value, str) for word in node.value.split()}


def is_plumbing(words: list[str]) -> bool:
    """Whether a command only prepares what others do."""
    return program(words) in SHELL and words[:2] != ["pip", "wheel"]


def test_every_block_is_run_or_says_why_not() -> None:
    # Commands are typed, and configurations are loaded, by tests of their own; a block without a language is
    # what something prints.
    checked = {"console", "yaml", "{toctree}", ""}
    program = [block for block in EVERY if block.language == "yaml" and "\nresources:" in block.text]
    others = [block for block in EVERY if block.language not in checked]

    assert [str(block) for block in (*program, *others) if not block.run_elsewhere] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_command_in_running_text_is_understood(page: Path) -> None:
    wrong = {}
    for code in inline_code(page):
        if "COMMAND" in code or not code.startswith(("dittoinfra ", "make ")):
            continue
        for words in steps(re.sub(r"<[^>]+>", "NAME", code)):
            match words:
                case ["dittoinfra", name] if name in command_names():
                    pass  # the command as such, and not a line to type
                case ["dittoinfra", *arguments]:
                    wrong[code] = complaint(arguments)
                case ["make", target]:
                    wrong[code] = None if target in TARGETS else "no such target"
    assert {code: why for code, why in wrong.items() if why} == {}


def pulumi_commands() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every subcommand of the CLI that a page shows, with its flags."""
    for _, words in COMMANDS:
        if words[0] == "pulumi":
            named = [word for word in words[1:] if re.fullmatch(r"[a-z]+", word)]
            depth = 2 if named[0] in ("config", "stack", "state", "plugin") else 1
            flags = tuple(word.partition("=")[0] for word in words if re.match("--[a-z]", word))
            yield " ".join(named[:depth]), flags


def test_the_pulumi_cli_has_the_commands_and_flags_that_pages_show(pulumi_cli: PulumiCommand) -> None:
    shown: dict[str, set[str]] = {}
    for command, flags in pulumi_commands():
        shown.setdefault(command, set()).update(flags)

    for command, used in shown.items():
        done = subprocess.run(
            [pulumi_cli.command, *command.split(), "--help"], capture_output=True, text=True, check=True
        )
        usage = done.stdout.partition("Usage:")[2].split(" [flags]")[0]
        assert "[command]" not in usage, f"no such command: pulumi {command}"
        assert used <= set(re.findall(r"--[a-z-]+", done.stdout)), command


def test_wrong_commands_are_noticed() -> None:
    """The check itself: what it must not let through."""
    assert complaint(["upp", "files"]) == "no such command: upp"
    assert "--brake" in (complaint(["up", "files", "--brake"]) or "")
    assert complaint(["hosts"]) == "missing argument: stack"
    assert complaint(["hosts", "files", "media"]) == "too many arguments: media"
    assert complaint(["up", "files", "--parallel"]) is not None
    assert complaint(["--cwd", "/srv", "up", "files", "--yes"]) is None
