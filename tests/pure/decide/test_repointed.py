"""A server that is asked at another address: what is not served there goes only with approval."""

from collections.abc import Mapping, Sequence

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import (
    AlreadyPolled,
    Missing,
    Outcome,
    Reason,
    RememberedAdapter,
    Removal,
    ServerMemory,
    StackDecision,
    Uncounted,
)
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import NONSENSE, UNREACHABLE, answer, disabled, said, server, serving, stopped

OLD, NEW = "https://old:8080", "https://new:8080"
NFS, SMB = serving("nfs", 12049), serving("smb", 12445)
SMB_OFF = disabled("smb", 12445)
MEDIA = server(api={"url": NEW})
ASKED = f"is asked at {NEW} now and was asked at {OLD} before"
WARNING = f"{ASKED}: an adapter that is disabled or absent there is removed only with approval"


def _memory(asked_at: str | None = OLD, smb_absences: int = 0) -> ServerMemory:
    return {
        "nfs": RememberedAdapter("nfs", 12049, asked_at=asked_at),
        "smb": RememberedAdapter("smb", 12445, smb_absences, asked_at=asked_at),
    }


def _decide(*outcomes: Outcome, memory: ServerMemory | None = None) -> StackDecision:
    return decide_stack([MEDIA], {"media": memory or _memory()}, {"media": outcomes})


def _lines(decision: StackDecision, *approved: str) -> list[str]:
    stack = StackSettings.model_validate({"approveRemovals": list(approved)})
    return list(map(str, refusals(decision, [MEDIA], stack)))


def _asked_at(
    polls: Sequence[Outcome] | AlreadyPolled | Uncounted, memory: ServerMemory, removal: str = "sync"
) -> Mapping[str, str | None]:
    media = server(api={"url": NEW}, removal=removal)
    return {a.type: a.asked_at for a in decide_server(media, memory, polls).remembered().values()}


def test_what_the_new_address_disables_goes_only_with_approval() -> None:
    decision = _decide(answer(NFS, SMB_OFF))

    assert decision.removals == (Removal("media", "smb", Reason.REPOINTED),)
    assert decision.notes[-1].text == WARNING
    assert _lines(decision) == [
        "brake: this run would remove 1 of 2 adapters (50 %): media/smb (repointed); "
        "repointed means that it is disabled or absent where its server is asked now, "
        f"which may be another server; media {ASKED}; "
        "if that is right, approve exactly these: `dittoinfra:approveRemovals: [media/smb]`"
    ]
    assert _lines(decision, "media/smb") == []


def test_what_the_new_address_does_not_mention_is_counted_and_then_needs_approval() -> None:
    counted = _decide(answer(NFS), memory=_memory(smb_absences=1))
    at_the_limit = _decide(answer(NFS), memory=_memory(smb_absences=2))

    assert counted.removals == ()
    assert counted.servers["media"].remembered()["smb"] == RememberedAdapter("smb", 12445, 2, asked_at=OLD)
    assert counted.notes[-1].text == WARNING
    assert at_the_limit.removals == (Removal("media", "smb", Reason.REPOINTED),)
    assert len(_lines(at_the_limit)) == 1


@pytest.mark.parametrize("asked_at", [NEW, None], ids=["the same address", "a state of an older version"])
def test_elsewhere_nothing_changes(asked_at: str | None) -> None:
    decision = _decide(answer(NFS, SMB_OFF), memory=_memory(asked_at))

    assert decision.removals == (Removal("media", "smb", Reason.DISABLED),)
    assert _lines(decision) == []
    assert said(decision.servers["media"]) == ["smb is disabled: its Service is removed"]


def test_a_server_that_its_cluster_no_longer_lists_is_not_asked_anywhere() -> None:
    decision = _decide(Missing("gone"), memory=_memory(smb_absences=2))

    assert decision.removals == (Removal("media", "smb", Reason.ABSENT),)


def test_a_removal_stays_one_where_a_later_poll_gets_no_answer() -> None:
    decision = _decide(answer(NFS, SMB_OFF), UNREACHABLE)

    assert decision.removals == (Removal("media", "smb", Reason.REPOINTED),)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (answer(NFS, SMB), NEW),
        (answer(NFS, stopped("smb", 12445)), NEW),
        (answer(NFS), OLD),
        (UNREACHABLE, OLD),
        (NONSENSE, OLD),
    ],
    ids=["all serve", "one is not running", "one is absent", "no answer", "nonsense"],
)
def test_the_new_address_is_remembered_once_it_confirms_every_adapter(
    outcome: Outcome, expected: str
) -> None:
    assert _asked_at([outcome], _memory()) == {"nfs": expected, "smb": expected}
    assert _decide(outcome).removals == ()


def test_a_change_of_address_that_confirms_every_adapter_is_not_mentioned() -> None:
    assert _decide(answer(NFS, SMB)).notes == ()


def test_a_new_adapter_of_an_address_that_is_not_confirmed_is_none_of_its_own() -> None:
    assert _asked_at([answer(NFS, serving("s3", 9000))], _memory()) == dict.fromkeys(
        ("nfs", "s3", "smb"), OLD
    )


def test_after_an_approved_removal_the_new_address_is_remembered() -> None:
    assert _asked_at([answer(NFS, SMB_OFF)], _memory()) == {"nfs": NEW}


def test_an_adapter_that_is_kept_because_removal_is_never_is_not_confirmed() -> None:
    assert _asked_at([answer(NFS, SMB_OFF)], _memory(), removal="never") == {"nfs": OLD, "smb": OLD}


@pytest.mark.parametrize(
    ("polls", "expected"),
    [
        (AlreadyPolled(answer(NFS, SMB)), NEW),
        (AlreadyPolled(answer(NFS, SMB_OFF)), OLD),
        (Uncounted(answer(NFS, SMB)), NEW),
        (Uncounted(answer(NFS)), OLD),
    ],
)
def test_so_it_is_with_an_answer_that_counts_nothing(polls: AlreadyPolled | Uncounted, expected: str) -> None:
    assert _asked_at(polls, _memory()) == {"nfs": expected, "smb": expected}


def test_a_state_of_an_older_version_learns_the_address_from_the_next_answer() -> None:
    assert _asked_at([answer(NFS)], _memory(None)) == {"nfs": NEW, "smb": NEW}
    assert _asked_at([UNREACHABLE], _memory(None)) == {"nfs": None, "smb": None}


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ({"url": "https://{server}.example.com/api/"}, "https://media.example.com/api"),
        ({}, "pod files/media-0, port 8080"),
        ({"portForward": {"target": "service/{server}", "port": 80}}, "service files/media, port 80"),
        ({"portForward": None}, None),
    ],
    ids=["address", "by default", "port-forward", "not asked"],
)
def test_an_address_is_where_the_api_is_and_not_how_it_is_spoken_to(
    api: dict[str, object], expected: str | None
) -> None:
    media = server(namespace="files", api=api)

    [nfs] = decide_server(media, {}, [answer(NFS)]).adapters

    assert nfs.asked_at == expected


def test_where_nothing_is_ever_removed_there_is_nothing_to_approve() -> None:
    media = server(api={"url": NEW}, removal="never")

    decision = decide_server(media, _memory(), (answer(NFS, SMB_OFF),))

    assert not decision.removals
    assert not [note for note in decision.notes if ASKED in note.text]
