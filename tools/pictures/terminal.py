"""One command in a real terminal, and what its screen shows then."""

import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from lab.bed.tmux import LIMIT_SECONDS, Terminal


def show(
    command: str,
    answers: Mapping[str, str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    columns: int,
    rows: int,
) -> str:
    """Run a command, answer its questions, and give what is on the screen when it has ended, as ANSI."""
    ended = folder / "ended"
    ended.unlink(missing_ok=True)
    prompt = f"printf '\\033[32m$\\033[0m %s\\n' {shlex.quote(command)}"
    line = f"{prompt}; {command}; touch {shlex.quote(str(ended))}; sleep {LIMIT_SECONDS:g}"
    with Terminal(["sh", "-c", line], folder, environment, columns=columns, rows=rows) as terminal:
        for question, answer in answers.items():
            terminal.wait_until(partial(_shows, terminal, question), question)
            terminal.type(f"{answer}\n")
        terminal.wait_until(ended.exists, f"end of `{command}`")
        return terminal.screen("-e")


def _shows(terminal: Terminal, words: str) -> bool:
    return words in terminal.screen()
