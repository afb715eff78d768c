"""How a command fails."""


class CommandError(Exception):
    """One line for a person and an exit code for a pipeline."""

    def __init__(self, line: str, exit_code: int = 1) -> None:
        super().__init__(line)
        self.exit_code = exit_code
