"""A server that is not asked again within one command stays as it is remembered."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import (
    AlreadyPolled,
    Answered,
    DeclaredAdapter,
    Missing,
    Outcome,
    RememberedAdapter,
    ReportedAdapter,
    State,
    Unreachable,
    last_outcome,
)
from dittoinfra.settings import ServerSettings

SERVER = ServerSettings.model_validate({"name": "media", "namespace": "files"})
NFS = ReportedAdapter("nfs", 12049, enabled=True, running=True)
SMB = ReportedAdapter("smb", 13445, enabled=True, running=True)
MEMORY = {"nfs": RememberedAdapter("nfs", 12049), "smb": RememberedAdapter("smb", 12445, 2)}


@pytest.mark.parametrize(
    ("said", "nfs", "smb"),
    [
        (Answered((NFS,)), State.SERVING, State.ABSENT),
        (Answered((NFS, SMB)), State.SERVING, State.SERVING),
        (Answered((NFS, ReportedAdapter("smb", 12445, False, False))), State.SERVING, State.ABSENT),
        (Unreachable("refused"), State.KEPT, State.KEPT),
        (Missing("not listed"), State.ABSENT, State.ABSENT),
    ],
)
def test_no_port_moves_nothing_is_counted_and_nothing_is_said(said: Outcome, nfs: State, smb: State) -> None:
    decision = decide_server(SERVER, MEMORY, AlreadyPolled(said))

    assert decision.adapters == (DeclaredAdapter("nfs", 12049, nfs), DeclaredAdapter("smb", 12445, smb, 2))
    assert (decision.removals, decision.notes, decision.lost) == ((), (), ())
    assert decision.outcome == said


def test_what_is_not_remembered_is_not_declared() -> None:
    assert decide_server(SERVER, {}, AlreadyPolled(Answered((NFS,)))).adapters == ()


def test_pinned_adapters_are_declared_as_ever() -> None:
    pinned = SERVER.model_copy(
        update={"adapters": SERVER.adapters.model_validate({"pinned": [{"type": "s3", "port": 9000}]})}
    )

    decision = decide_server(pinned, MEMORY, AlreadyPolled(Answered((NFS,))))

    assert [adapter.type for adapter in decision.adapters] == ["nfs", "s3", "smb"]


def test_an_adapter_whose_port_is_lost_stays_lost() -> None:
    memory = {"nfs": RememberedAdapter("nfs", None)}

    decision = decide_server(SERVER, memory, AlreadyPolled(Unreachable("down")))

    assert (decision.adapters, decision.lost) == ((), ("nfs",))


def test_what_was_heard_last_is_what_was_said_before_a_server_was_held() -> None:
    down = Unreachable("down")

    assert last_outcome(AlreadyPolled(down)) is down
    assert last_outcome([Answered(()), down]) is down
