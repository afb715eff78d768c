"""A planned decision and today's: what stops a plan, and what waits for the next run."""

from dataclasses import replace

import pytest

from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Outcome,
    Reason,
    RememberedAdapter,
    Removal,
    ServerDecision,
    StackDecision,
    State,
    Unreachable,
)
from dittoinfra.program.plan import contradictions, news

ANSWERED = Answered(())
SILENT = Unreachable("refused")
SMB = DeclaredAdapter("smb", 12445, State.SERVING)
MOVED = DeclaredAdapter("smb", 13445, State.SERVING)
ABSENT = DeclaredAdapter("smb", 12445, State.ABSENT, 2)
KEPT = DeclaredAdapter("smb", 12445, State.KEPT, 1)
GONE = Removal("media", "smb", Reason.DISABLED)
MEMORY = {"media": {"smb": RememberedAdapter("smb", 12445, 1)}}


def _decided(outcome: Outcome, *said: DeclaredAdapter | Removal) -> StackDecision:
    adapters = tuple(each for each in said if isinstance(each, DeclaredAdapter))
    removals = tuple(each for each in said if isinstance(each, Removal))
    server = ServerDecision("media", outcome, bootstrap=False, adapters=adapters, removals=removals)
    return StackDecision({"media": server}, 1, removals, ())


@pytest.mark.parametrize(
    ("planned", "today", "why"),
    [
        (GONE, (ANSWERED, GONE), None),
        (GONE, (ANSWERED, SMB), "media says today that it is serving, and the removal of smb is planned"),
        (GONE, (SILENT, KEPT), "media gives no answer today (unreachable: refused), and the removal of smb"),
        (MOVED, (ANSWERED, MOVED), None),
        (MOVED, (ANSWERED, SMB), "smb of media is planned on port 13445, and it is on port 12445 today"),
        (MOVED, (ANSWERED,), "smb of media is planned on port 13445, and it is not served today"),
        (MOVED, (SILENT, KEPT), None),
        (ABSENT, (ANSWERED, ABSENT), None),
        (ABSENT, (ANSWERED, SMB), "smb of media is planned to count as absent, and it is serving today"),
        (ABSENT, (SILENT, KEPT), None),
        (SMB, (ANSWERED, MOVED), None),
        (SMB, (ANSWERED, GONE), None),
    ],
)
def test_what_no_server_says_any_more_stops_a_plan(
    planned: DeclaredAdapter | Removal,
    today: tuple[Outcome, *tuple[DeclaredAdapter | Removal, ...]],
    why: str | None,
) -> None:
    found = contradictions(_decided(ANSWERED, planned), _decided(*today), MEMORY)

    assert len(found) == (why is not None)
    assert all(line.startswith(why or "") for line in found)


TO_MOVE = Removal("media", "smb", Reason.MOVED)


@pytest.mark.parametrize(
    ("planned", "today", "why"),
    [
        (
            GONE,
            TO_MOVE,
            "media says today that it is serving, and the removal of smb is planned because it was",
        ),
        (TO_MOVE, TO_MOVE, None),
        (TO_MOVE, GONE, "media says today that it is disabled, and the removal of smb is planned because it"),
        (Removal("media", "smb", Reason.UNSPLIT), TO_MOVE, "media says today that it is serving, and the"),
    ],
)
def test_a_move_of_what_serves_supports_no_other_removal(
    planned: Removal, today: Removal, why: str | None
) -> None:
    """A server that is to move in the configuration, and whose smb was enabled again since."""
    found = contradictions(_to_remove(planned), _to_remove(today), MEMORY)

    assert len(found) == (why is not None)
    assert all(line.startswith(why or "") for line in found)


def _to_remove(removal: Removal) -> StackDecision:
    """As the rules decide it: what moves is declared, and is no removal of its server's own decision."""
    server = _decided(ANSWERED, SMB if removal.reason is not Reason.DISABLED else removal)
    return replace(server, removals=(removal,))


def test_a_server_that_is_not_listed_any_more_stops_what_is_planned_for_it() -> None:
    no_servers = StackDecision({}, 1, (), ())

    [line] = contradictions(_decided(ANSWERED, MOVED), no_servers, MEMORY)

    assert line == "media is not among the servers that the cluster lists any more"
    assert contradictions(_decided(SILENT), no_servers, {}) == ()


def test_what_is_new_waits() -> None:
    s3 = DeclaredAdapter("s3", 9000, State.SERVING)

    assert news(_decided(ANSWERED, SMB), _decided(ANSWERED, SMB, s3)) == (
        "media: s3 changed since the plan was made; the next run sees to it",
    )
    assert news(_decided(ANSWERED, SMB), _decided(ANSWERED, SMB)) == ()
    assert news(_decided(ANSWERED, SMB), _decided(SILENT, KEPT)) == ()
