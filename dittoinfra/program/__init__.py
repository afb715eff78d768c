"""The flow of one run."""

from dittoinfra.program.errors import ConfigurationRefused, ExitCode, RunRefused, RunStopped
from dittoinfra.program.inquiry import Answers, Inquiry, LiveInquiry, RecordedInquiry
from dittoinfra.program.run import RunRecord, run
from dittoinfra.program.surroundings import Surroundings

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
