"""The ports that every DittoFS server begins on: a machine has them once, and one server at a time."""

from contextlib import AbstractContextManager

from lab.bed.machine_lock import machine_lock


def default_ports() -> AbstractContextManager[None]:
    """Wait until no other process has a server there, and keep the others away."""
    return machine_lock("dittofs-default-ports")
