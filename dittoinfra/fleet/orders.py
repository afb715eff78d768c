"""What is to be done to every stack, and how."""

from dataclasses import dataclass, field

from dittoinfra import program
from dittoinfra.automation import RunOptions
from dittoinfra.fleet.result import Operation

WAIT_SECONDS = 300.0
"""How long `up` waits for servers it has just deployed: an image has to be pulled, a volume to be made."""


@dataclass(frozen=True, slots=True)
class Orders:
    """One operation on every chosen stack."""

    operation: Operation
    options: RunOptions = field(default_factory=RunOptions)
    skip_preview: bool = False
    wait: float = WAIT_SECONDS
    """Seconds that an update may wait for servers it has just deployed; 0 does not wait."""
    plan: "program.Plan | None" = None
    """The only answers to use, and what must not have moved since."""
    salt: bytes = b""
    """Makes the fingerprints of a plan that a preview is to give; without it there are none."""
    remove: bool = False
    """Take a destroyed stack from the backend."""
    break_lock: bool = False
    """Release a stack's lock first."""
