"""A user at a real terminal, and what its screen shows from one moment to the next."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from lab.bed.process import BedError
from lab.bed.tmux import Terminal
from tools.pictures.stage import Stage

COLUMNS: Final = 108
_PROMPT: Final = "$"
_HOME: Final = "/home/you"
"""What the folder above the project is called in a picture."""

_TYPING_SECONDS: Final = 0.15
_LOOKING_SECONDS: Final = 0.8
_LINE_SECONDS: Final = 0.3
_LONGEST_SECONDS: Final = 4.0


@dataclass(frozen=True, slots=True)
class Moment:
    """Words that come up on the screen, and what happens then."""

    words: str
    happens: Callable[[Stage], object] = lambda _: None
    """Text that it returns is typed."""
    hidden: bool = False
    """Whether the screen does not show what is typed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command, what happens before it is typed, and what happens while it runs."""

    command: str
    moments: Sequence[Moment] = ()
    before: Callable[[Stage], object] = lambda _: None


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen, with its colours as ANSI, and how long it is looked at."""

    screen: str
    seconds: float


def answer(question: str, text: str = "") -> Moment:
    """A question, and what the user types after it; nothing but Enter, unless given."""
    return Moment(question, lambda _: f"{text}\n")


def record(stage: Stage, steps: Sequence[Step], *, rows: int) -> Sequence[Frame]:
    """Take the steps in one shell, one after the other, and give what could be seen, without the waiting."""
    environment = {**stage.environment, "PS1": rf"\[\e[32m\]{_PROMPT}\[\e[0m\] "}
    shell = ["bash", "--noprofile", "--norc"]
    with Terminal(shell, stage.folder, environment, columns=COLUMNS, rows=rows) as terminal:
        frames = [frame for step in steps for frame in _frames(stage, terminal, step)]
    if any(secret in frame.screen for frame in frames for secret in stage.secrets):
        raise BedError("a password can be seen on the screen")
    home = str(stage.folder.parent)
    return [Frame(frame.screen.replace(home, _HOME), frame.seconds) for frame in frames]


def plain(screen: str) -> str:
    """The text of a screen."""
    return Text.from_ansi(screen).plain.rstrip()


def _frames(stage: Stage, terminal: Terminal, step: Step) -> Iterator[Frame]:
    """What can be seen of a step; only what stays, so that two recordings of one behaviour are the same."""
    _until(terminal, rf"^\{_PROMPT}$")
    step.before(stage)
    screen, typed = "", rf"^\{_PROMPT} "
    for word in re.findall(r"\S+\s*", step.command):
        terminal.type(word)
        typed += re.escape(word)
        screen = _until(terminal, typed.removesuffix("\\ ") + "$")
        yield Frame(screen, _TYPING_SECONDS)
    terminal.type("\n")
    for moment in step.moments:
        before, screen = screen, _until(terminal, re.escape(moment.words))
        yield Frame(screen, _reading(before, screen))
        keys = moment.happens(stage)
        if isinstance(keys, str):
            if keys.endswith("\n"):
                # Who types faster than a program asks spoils its screen.
                terminal.wait_until(terminal.is_asking, "question")
            terminal.type(keys, hidden=moment.hidden)
    before, screen = screen, _until(terminal, rf"^\{_PROMPT}$").rpartition("\n")[0]
    yield Frame(screen, _reading(before, screen))


def _until(terminal: Terminal, pattern: str) -> str:
    """The screen as far as the last line that matches, as soon as there is one."""
    found = ""

    def shows() -> bool:
        nonlocal found
        screen = terminal.screen("-e")
        matching = [n for n, line in enumerate(plain(screen).splitlines(), 1) if re.search(pattern, line)]
        found = "\n".join(screen.splitlines()[: max(matching, default=0)])
        return bool(matching)

    terminal.wait_until(shows, pattern)
    return found


def _reading(before: str, after: str) -> float:
    new = set(after.splitlines()) - set(before.splitlines())
    return min(_LOOKING_SECONDS + len(new) * _LINE_SECONDS, _LONGEST_SECONDS)
