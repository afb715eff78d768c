"""Something that went wrong, as one line that says what and what to do about it.

By itself, because the pulumi CLI is looked for before anything else is loaded.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that went wrong: what, and what to do about it."""

    cause: str
    next_step: str = ""
    """Empty where the user need not do anything."""

    @property
    def why(self) -> str:
        """Both on one line, for the user."""
        return f"{self.cause}; {self.next_step}" if self.next_step else self.cause


class TroubleError(Exception):
    """Trouble that is raised; as text, one line for the user."""

    def __init__(self, cause: str, next_step: str = "") -> None:
        super().__init__(cause, next_step)
        self.cause = cause
        self.next_step = next_step

    def __str__(self) -> str:
        return Trouble(self.cause, self.next_step).why
