"""Running stacks of this project on the real engine, in-process."""

from dittoinfra.automation.cli import CliFailedError, CommandLine
from dittoinfra.automation.options import RunOptions
from dittoinfra.automation.processes import InterruptibleCommand, Processes
from dittoinfra.automation.project import Listing, NoProjectError, Project, find_project
from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step
from dittoinfra.automation.stack import ProjectStack
from dittoinfra.automation.trouble import CANCELLED

__all__ = [
    "CANCELLED",
    "Changes",
    "CliFailedError",
    "CommandLine",
    "Diagnostic",
    "InterruptibleCommand",
    "Listing",
    "NoProjectError",
    "Processes",
    "Project",
    "ProjectStack",
    "RunOptions",
    "RunReport",
    "Step",
    "find_project",
]
