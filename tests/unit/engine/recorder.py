"""Progress whose lines a test can read."""


class Recorder:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.ticks: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def tick(self, line: str) -> None:
        self.ticks.append(line)

    def clear(self) -> None:
        pass
