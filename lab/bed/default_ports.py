"""A lock on the ports that every new DittoFS server listens on: one server at a time per machine."""

from contextlib import AbstractContextManager

from lab.bed.machine_lock import machine_lock


def default_ports() -> AbstractContextManager[None]:
    """Hold the lock for the length of a `with` block."""
    return machine_lock("dittofs-default-ports")
