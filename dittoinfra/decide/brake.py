"""The brake: a run that would remove a lot, or the last adapter by absence, needs somebody's word. Pure."""

from collections.abc import Sequence

from dittoinfra.decide.refusals import BrakePulled
from dittoinfra.model import Note, Reason, StackDecision

BRAKE_FROM_ADAPTERS = 10
"""Below this many adapters a share says little: one of three is a third, and daily business."""

BRAKE_ABOVE_PERCENT = 30
"""Share of a stack's adapters that one run may remove without being asked."""


def brake(decision: StackDecision, approved: Sequence[str]) -> BrakePulled | None:
    """The brake, where it holds; None where the run may go on."""
    removals = decision.removals
    if {removal.name for removal in removals} == set(approved):
        return None
    empties = not any(server.adapters for server in decision.servers.values()) and any(
        removal.reason is Reason.ABSENT for removal in removals
    )
    too_many = (
        decision.remembered >= BRAKE_FROM_ADAPTERS
        and 100 * len(removals) > BRAKE_ABOVE_PERCENT * decision.remembered
    )
    if not (empties or too_many):
        return None
    return BrakePulled(removals, decision.remembered, BRAKE_ABOVE_PERCENT, empties)


def stale_approvals(decision: StackDecision, approved: Sequence[str]) -> tuple[Note, ...]:
    """Approvals that this run has no use for: left in place, they would approve a later accident."""
    removed = {removal.name for removal in decision.removals}
    return tuple(
        Note(
            name.partition("/")[0],
            f"the removal of {name} is approved, but nothing removes it; drop it from approveRemovals",
            warning=True,
        )
        for name in approved
        if name not in removed
    )
