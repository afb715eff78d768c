"""How a command ends, in the pulumi CLI's own codes. Imports nothing: a wrong flag must cost nothing."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The engine's exit codes that commands and runs of dittoinfra use."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> "ExitCode":
        """A code and its meaning, which `--help` and docs/exit-codes.md show."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    DONE = 0, "done, or nothing to do"
    GENERIC = 1, "failed in another way, or several stacks in different ways"
    CONFIGURATION = 2, "a flag, a file or the configuration cannot be used"
    AUTHENTICATION = 3, "a server, the cluster or the backend refused a login or a permission"
    RESOURCE = 4, "a resource could not be changed, or clients cannot connect (status)"
    POLICY = 5, "refused: removals to approve, objects of others, old plans, policies"
    NO_SUCH_STACK = 6, "there is no such stack"
    UNEXPECTED_CHANGES = 7, "something would change or has drifted (--expect-no-changes, drift)"
    CANCELLED = 8, "declined at the question, or interrupted"
