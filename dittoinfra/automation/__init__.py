"""Running stacks of this project on the real engine, in-process."""

from dittoinfra.automation.cli import CliFailedError, CommandLine
from dittoinfra.automation.options import RunOptions
from dittoinfra.automation.project import NoProjectError, Project, find_project
from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step
from dittoinfra.automation.stack import ProjectStack

__all__ = [
    "Changes",
    "CliFailedError",
    "CommandLine",
    "Diagnostic",
    "NoProjectError",
    "Project",
    "ProjectStack",
    "RunOptions",
    "RunReport",
    "Step",
    "find_project",
]
