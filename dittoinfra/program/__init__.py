"""The flow of one run.

Its parts take half a second to load, which is hidden where something else is waited for meanwhile. So each
name is loaded when it is first used: whoever only passes things on says `program.Name` and does not wait.
"""

from typing import TYPE_CHECKING, Final

from dittoinfra.loading import load

if TYPE_CHECKING:
    from dittoinfra.program.configuration import configuration_fingerprints
    from dittoinfra.program.errors import ConfigurationRefused, PlanOutdated, RunRefused, RunStopped
    from dittoinfra.program.flow import Rehearsed, RunRecord, run
    from dittoinfra.program.inquiry import Answers, Inquiry, LiveInquiry, RecordedInquiry
    from dittoinfra.program.plan import (
        Plan,
        PlannedChange,
        StackPlan,
        decided,
        moved,
        other_changes,
        other_decision,
    )
    from dittoinfra.program.surroundings import Surroundings

__all__ = [
    "Answers",
    "ConfigurationRefused",
    "Inquiry",
    "LiveInquiry",
    "Plan",
    "PlanOutdated",
    "PlannedChange",
    "RecordedInquiry",
    "Rehearsed",
    "RunRecord",
    "RunRefused",
    "RunStopped",
    "StackPlan",
    "Surroundings",
    "configuration_fingerprints",
    "decided",
    "moved",
    "other_changes",
    "other_decision",
    "run",
]

_PARTS: Final = {
    "configuration": ("configuration_fingerprints",),
    "errors": ("ConfigurationRefused", "PlanOutdated", "RunRefused", "RunStopped"),
    "flow": ("Rehearsed", "RunRecord", "run"),
    "inquiry": ("Answers", "Inquiry", "LiveInquiry", "RecordedInquiry"),
    "plan": (
        "Plan",
        "PlannedChange",
        "StackPlan",
        "decided",
        "moved",
        "other_changes",
        "other_decision",
    ),
    "surroundings": ("Surroundings",),
}
_PART_OF: Final = {name: part for part, names in _PARTS.items() for name in names}


if not TYPE_CHECKING:  # to a type checker every name would then be there

    def __getattr__(name: str) -> object:
        part = _PART_OF.get(name)
        if part is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(load(f"{__name__}.{part}"), name)
