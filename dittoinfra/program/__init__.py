"""The flow of one run."""

from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.configuration import configuration_fingerprints
from dittoinfra.program.errors import ConfigurationRefused, PlanOutdated, RunRefused, RunStopped
from dittoinfra.program.inquiry import Answers, Inquiry, LiveInquiry, RecordedInquiry
from dittoinfra.program.plan import Plan, PlannedChange, StackPlan
from dittoinfra.program.run import Rehearsed, RunRecord, run
from dittoinfra.program.surroundings import Surroundings

__all__ = [
    "Answers",
    "ConfigurationRefused",
    "ExitCode",
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
    "run",
]
