"""What happens to an adapter, in the words that every message, report and event has for it. Pure."""

from collections.abc import Mapping

from dittoinfra.model import Reason

_REMOVED: Mapping[Reason, str] = {
    Reason.DISABLED: "disabled",
    Reason.DESTROYED: "destroyed",
    Reason.UNCONFIGURED: "not configured any more",
    Reason.RENAMED: "not configured any more, while another server is new",
    Reason.WITHHELD: "not configured any more",
    Reason.REPOINTED: "not served where its server is asked now",
    Reason.MOVED: "moved to another namespace or cluster",
    Reason.UNSPLIT: "without a UDP Service of its own now",
}


def absent_text(absences: int, absence_polls: int) -> str:
    """How far an absence is counted: `absent 1/3`. A count under a former, higher limit may exceed it."""
    return f"absent {min(absences, absence_polls)}/{absence_polls}"


def moved_text(before: int | None, after: int) -> str:
    """An adapter that listens elsewhere: `moved from port 12049 to 13049`."""
    return f"moved from port {before} to {after}"


def removed_text(reason: Reason, absence_polls: int) -> str:
    """Why an adapter's Service is removed: `disabled`, `absent 3/3`."""
    return absent_text(absence_polls, absence_polls) if reason is Reason.ABSENT else _REMOVED[reason]
