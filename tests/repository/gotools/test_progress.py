"""Long work on a terminal is one moving line, in a log a line now and then."""

import io

import pytest

from lab.gotools.progress import PLAIN_SECONDS, StreamProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_in_a_log_ticks_are_rare_and_lines_stay() -> None:
    log, clock = io.StringIO(), Clock()
    progress = StreamProgress(log, clock)

    progress.say("building")
    for second in range(int(PLAIN_SECONDS * 2) + 1):
        clock.now = float(second)
        progress.tick(f"{second}s")
    progress.clear()

    assert log.getvalue() == "building\n15s\n30s\n"


def test_on_a_terminal_a_tick_takes_the_place_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "11")
    terminal = Terminal()
    progress = StreamProgress(terminal, Clock())

    progress.tick("one second and more")
    progress.tick("two")
    progress.say("done")
    progress.clear()

    assert terminal.getvalue() == "\r\x1b[2Kone second\r\x1b[2Ktwo\r\x1b[2Kdone\n"
