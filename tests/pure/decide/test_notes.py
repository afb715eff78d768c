"""What people are told is what happens, however the run came to it."""

from dittoinfra.decide.server_rules import decide_server
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, said, server, serving

MEMORY = remembering(("nfs", 12049), ("smb", 12445))
PINNED_NFS = {"pinned": [{"type": "nfs", "port": 2049}]}


def test_silence_after_a_removal_does_not_say_that_everything_is_kept() -> None:
    decision = decide_server(server(), MEMORY, [answer(disabled("smb", 12445)), UNREACHABLE])
    assert not any("2 remembered adapters kept" in line for line in said(decision))


def test_a_move_is_told_even_when_the_run_ends_in_silence() -> None:
    decision = decide_server(server(), MEMORY, [answer(serving("nfs", 2049)), UNREACHABLE])
    assert "nfs moved from port 12049 to 2049" in said(decision)


def test_bootstrap_does_not_deny_a_pinned_adapter() -> None:
    decision = decide_server(server(adapters=PINNED_NFS), {}, [UNREACHABLE])
    assert not any("none are declared" in line for line in said(decision))
