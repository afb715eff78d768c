"""A decision as a person reads it."""

import pytest

from dittoinfra.decide.explanation import decision_text, state_text
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import DeclaredAdapter, StackMemory, State
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving


@pytest.mark.parametrize(
    ("state", "absences", "text"),
    [
        (State.SERVING, 0, "serving"),
        (State.PINNED, 0, "pinned"),
        (State.KEPT, 0, "kept"),
        (State.KEPT, 2, "absent 2/3"),
        (State.ABSENT, 1, "absent 1/3"),
        (State.ABSENT, 5, "absent 3/3"),
        (State.DISABLED, 0, "disabled"),
    ],
)
def test_the_state_of_an_adapter_in_words(state: State, absences: int, text: str) -> None:
    assert state_text(DeclaredAdapter("nfs", 12049, state, absences), 3) == text


def test_a_whole_decision_can_be_read_at_a_glance() -> None:
    servers = [
        server("media", adapters={"pinned": [{"type": "ftp", "port": 21}]}),
        server("backup", absencePolls=5),
        server("fresh"),
    ]
    memory: StackMemory = {
        "media": remembering(("nfs", 12049), ("smb", 12445)),
        "backup": remembering(("nfs", 12049, 3), ("smb", 12445)),
        "old": remembering(("nfs", 12049), ("smb", 12445)),
    }

    decision = decide_stack(
        servers,
        memory,
        {
            "media": [answer(serving("nfs", 2049), disabled("smb", 12445))],
            "backup": [UNREACHABLE],
            "fresh": [UNREACHABLE],
        },
    )

    assert decision_text(decision, servers).splitlines() == [
        "media: answered",
        "  = ftp 21 pinned",
        "  = nfs 2049 serving",
        "  - smb disabled",
        "backup: unreachable",
        "  = nfs 12049 absent 3/5",
        "  = smb 12445 kept",
        "fresh: bootstrap",
        "- old/nfs unconfigured",
        "- old/smb unconfigured",
    ]
