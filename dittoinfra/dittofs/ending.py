"""How a step of a poll ends without an answer.

StepError
├── FinalError     asking again cannot help
└── PassingError   asking again may help; its outcome counts if the deadline comes first
"""

from dittoinfra.model import Unanswered


class StepError(Exception):
    """A step that ended in an outcome instead of a reply; never leaves a poll."""

    def __init__(self, outcome: Unanswered) -> None:
        super().__init__(outcome.why)
        self.outcome = outcome


class FinalError(StepError):
    """The poll is over."""


class PassingError(StepError):
    """The poll goes on while its deadline allows."""

    def __init__(self, outcome: Unanswered, retry_after: float | None = None) -> None:
        super().__init__(outcome)
        self.retry_after = retry_after
