"""Approvals that are left in the configuration do not apply to later removals."""

from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.stack_rules import decide_stack
from tests.pure.decide.make import answer, disabled, remembering, server

MEMORY = {"media": remembering(("nfs", 12049), ("smb", 12445))}
OFF = answer(disabled("nfs", 12049), disabled("smb", 12445))


def test_an_approval_without_a_removal_is_told_with_what_to_do() -> None:
    decision = decide_stack([server()], MEMORY, {"media": [OFF]})

    notes = Approvals.of(["media/nfs", "old/smb", "media/smb", "old/a/b"], decision.removals).stale

    assert [(note.server, note.text, note.warning) for note in notes] == [
        (
            "old",
            "the removal of old/smb is approved, but nothing removes it; drop it from approveRemovals",
            True,
        ),
        (
            "old",
            "the removal of old/a/b is approved, but nothing removes it; drop it from approveRemovals",
            True,
        ),
    ]


def test_approvals_in_use_are_not_talked_about() -> None:
    decision = decide_stack([server()], MEMORY, {"media": [OFF]})

    assert Approvals.of(["media/nfs", "media/smb"], decision.removals).stale == ()
    assert Approvals.of([], decision.removals).stale == ()
