"""How a command ends, in the pulumi CLI's own codes. Imports nothing: a wrong flag must cost nothing."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Those of the engine's exit codes that our commands and runs end in."""

    GENERIC = 1
    CONFIGURATION = 2
    AUTHENTICATION = 3
    POLICY = 5
    NO_SUCH_STACK = 6
    UNEXPECTED_CHANGES = 7
    CANCELLED = 8
