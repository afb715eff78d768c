"""Which versions of the pulumi CLI are taken, and which one is fetched: pinned here and nowhere else."""

from semver import VersionInfo

OLDEST_CLI = VersionInfo(3, 227, 0)
"""The first release whose exit codes tell a bad configuration from a failed resource."""

FIRST_UNSUPPORTED_CLI = VersionInfo(4, 0, 0)
"""A new major release may change the exit codes, the state and the events that are read here."""

FETCHED_CLI = VersionInfo(3, 259, 0)
"""What the installer is asked for and what is built; the go.mod beside this file requires the same."""


def objection(version: VersionInfo) -> str | None:
    """Why a CLI of this version is not used; None when it is welcome."""
    if version < OLDEST_CLI:
        return f"is {version}, older than the {OLDEST_CLI} that is needed"
    if version >= FIRST_UNSUPPORTED_CLI:
        return f"is {version}, and only versions before {FIRST_UNSUPPORTED_CLI} are supported"
    return None
