"""The flow of one run."""

from dittoinfra.program.errors import ConfigurationRefused, ExitCode, RunRefused, RunStopped
from dittoinfra.program.inquiry import Answers, Inquiry, LiveInquiry, RecordedInquiry, Surroundings
from dittoinfra.program.run import RunRecord, run

__all__ = [
    "Answers",
    "ConfigurationRefused",
    "ExitCode",
    "Inquiry",
    "LiveInquiry",
    "RecordedInquiry",
    "RunRecord",
    "RunRefused",
    "RunStopped",
    "Surroundings",
    "run",
]
