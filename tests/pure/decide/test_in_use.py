"""Who would be cut off by a run: what it says of them, and when it stops for them."""

from collections.abc import Mapping

import pytest

from dittoinfra.adapter_usage import Usage, UsageAnswer
from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.in_use import InUseDecision, decide_in_use, servers_to_ask
from dittoinfra.decide.refusals import UploadsNotDrained
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Denied, Reason, Removal
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import remembering

MEMORY = {"media": remembering(("nfs", 12049), ("smb", 12445))}
BUSY: Mapping[str, UsageAnswer] = {"media": {"nfs": Usage(2, 1), "smb": Usage(0, 0, 1)}}
IDLE: Mapping[str, UsageAnswer] = {"media": {}}
DENIED: Mapping[str, UsageAnswer] = {"media": Denied("HTTP 403", "log in as an administrator")}

MOVED = Removal("media", "nfs", Reason.MOVED)
DISABLED = Removal("media", "nfs", Reason.DISABLED)
RESTART = {"media": "its image"}


def _decide(
    *removals: Removal,
    restarts: Mapping[str, str] | None = None,
    in_use: Mapping[str, UsageAnswer] = BUSY,
    **settings: object,
) -> InUseDecision:
    stack = StackSettings.model_validate(settings or {"protectInUse": True})
    approvals = Approvals.of(stack.approve_removals, removals)
    return decide_in_use(stack, MEMORY, removals, restarts or {}, approvals, in_use)


def _lines(decision: InUseDecision) -> list[str]:
    return [*map(str, decision.refusals), *(note.text for note in decision.notes)]


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (Usage(), "no clients"),
        (Usage(1), "1 client"),
        (Usage(2, 1), "2 clients and 1 mount"),
        (Usage(1, 2, 3), "1 client, 2 mounts and 3 durable handles"),
    ],
)
def test_usage_in_words(usage: Usage, words: str) -> None:
    assert str(usage) == words
    assert usage.any is (words != "no clients")


def test_no_server_is_asked_without_protection_or_where_nothing_is_cut_off() -> None:
    assert servers_to_ask(StackSettings(), [MOVED], RESTART) == frozenset()
    protecting = StackSettings.model_validate({"protectInUse": True})
    assert servers_to_ask(protecting, [], {}) == frozenset()
    assert servers_to_ask(protecting, [MOVED], {"home": "its image"}) == {"media", "home"}
    assert _decide(MOVED, reportInUse=False) == InUseDecision()


def test_a_report_says_who_is_cut_off_and_goes_on() -> None:
    decision = _decide(MOVED, restarts=RESTART, reportInUse=True)

    assert decision.refusals == ()
    assert _lines(decision) == [
        "this run would remove media/nfs (moved), which cuts off 2 clients and 1 mount",
        "this run would restart media, because its image changed, "
        "which cuts off 2 clients, 1 mount and 1 durable handle",
    ]
    assert all(note.warning for note in decision.notes)


def test_protected_clients_stop_the_run_until_exactly_that_is_approved() -> None:
    (refusal,) = _decide(MOVED).refusals

    assert refusal.exit_code is ExitCode.POLICY
    assert str(refusal) == (
        "in use: this run would remove media/nfs (moved), which cuts off 2 clients and 1 mount; "
        "run again when they have left, or if that is right, approve it: "
        "`dittoinfra:approveRemovals: [media/nfs]`"
    )
    assert _decide(MOVED, protectInUse=True, approveRemovals=["media/nfs", "media/smb"]).refusals
    assert not _decide(MOVED, protectInUse=True, approveRemovals=["media/nfs"]).refusals


@pytest.mark.parametrize("protocol", ["NFS", "nfs4", "ftp"])
def test_a_protocol_that_is_no_adapter_type_counts_for_every_adapter(protocol: str) -> None:
    in_use: Mapping[str, UsageAnswer] = {"media": {protocol: Usage(2), "smb": Usage(1)}}
    smb = Removal("media", "smb", Reason.MOVED)

    nfs_line, smb_line = map(str, _decide(MOVED, smb, in_use=in_use).refusals)

    assert "remove media/nfs (moved), which cuts off 2 clients;" in nfs_line
    assert "remove media/smb (moved), which cuts off 3 clients;" in smb_line


def test_a_restart_cuts_off_clients_of_adapters_that_the_stack_does_not_hold_too() -> None:
    memory = {"media": remembering(("nfs", 12049))}
    stack = StackSettings.model_validate({"protectInUse": True})
    in_use: Mapping[str, UsageAnswer] = {"media": {"smb": Usage(3)}}
    approvals = Approvals.of((), [MOVED])

    decision = decide_in_use(stack, memory, [MOVED], RESTART, approvals, in_use)

    assert [note.text for note in decision.notes] == [
        "this run would remove media/nfs (moved), which cuts off no clients"
    ]
    [refusal] = decision.refusals
    assert "restart media, because its image changed, which cuts off 3 clients;" in str(refusal)


def test_a_restart_is_approved_by_its_server() -> None:
    (refusal,) = _decide(restarts=RESTART).refusals

    assert "`dittoinfra:approveRestarts: [media]`" in str(refusal)
    assert not _decide(restarts=RESTART, protectInUse=True, approveRestarts=["media"]).refusals


def test_clients_that_have_left_protect_nothing() -> None:
    decision = _decide(MOVED, restarts=RESTART, in_use=IDLE)

    assert decision.refusals == ()
    assert [note.warning for note in decision.notes] == [False, False]
    assert _lines(decision)[0] == "this run would remove media/nfs (moved), which cuts off no clients"


@pytest.mark.parametrize(
    ("in_use", "why"),
    [
        (DENIED, "it is not known who uses media/nfs (HTTP 403; log in as an administrator)"),
        ({}, "it is not known who uses media/nfs (its server is not asked any more)"),
    ],
)
def test_what_cannot_be_told_counts_as_in_use(in_use: Mapping[str, UsageAnswer], why: str) -> None:
    (refusal,) = _decide(MOVED, in_use=in_use).refusals

    assert str(refusal) == (
        f"possibly in use: this run would remove media/nfs (moved), and {why}; make sure that no client "
        "does, then approve it: `dittoinfra:approveRemovals: [media/nfs]`"
    )
    (note,) = _decide(MOVED, in_use=in_use, reportInUse=True).notes
    assert note.warning
    assert note.text == f"this run would remove media/nfs (moved), and {why}"


@pytest.mark.parametrize("reason", [Reason.DISABLED, Reason.ABSENT])
def test_an_adapter_that_its_server_has_stopped_has_no_clients_that_could_be_cut_off(reason: Reason) -> None:
    decision = _decide(Removal("media", "nfs", reason), in_use=DENIED)

    assert decision.refusals == ()
    assert [note.warning for note in decision.notes] == [False]


def test_mounts_that_wait_for_a_disabled_adapter_still_protect_it() -> None:
    (refusal,) = _decide(DISABLED, in_use={"media": {"nfs": Usage(mounts=1)}}).refusals

    assert "remove media/nfs (disabled), which cuts off 1 mount" in str(refusal)


def test_a_restart_that_cannot_be_judged_names_every_adapter() -> None:
    (refusal,) = _decide(restarts=RESTART, in_use=DENIED).refusals

    assert "it is not known who uses media/nfs, media/smb (" in str(refusal)
    assert "it is not known who uses home (" in str(_decide(restarts={"home": "its image"}).refusals[0])


def test_an_approval_that_nothing_needs_is_said() -> None:
    decision = _decide(
        MOVED, protectInUse=True, approveRemovals=["media/nfs"], approveRestarts=["media", "home"]
    )

    assert [line for line in _lines(decision) if "drop it" in line] == [
        "the restart of media is approved, but nothing restarts it; drop it from approveRestarts",
        "the restart of home is approved, but nothing restarts it; drop it from approveRestarts",
    ]


def test_a_server_whose_uploads_are_not_done_says_why_it_is_not_restarted() -> None:
    line = str(UploadsNotDrained("media", "HTTP 504"))

    assert line == (
        "media: its uploads are not drained, so it is not restarted: HTTP 504; run again, or drop "
        "dittoinfra:drainUploads to restart it as it is"
    )
