"""Running stacks of this project on the real engine, in-process."""

from dittoinfra.automation.cli import CliFailedError, CommandLine
from dittoinfra.automation.differences import Difference
from dittoinfra.automation.objects import ObjectReference, metadata_of, object_of, server_around
from dittoinfra.automation.options import RunOptions
from dittoinfra.automation.plain import plain
from dittoinfra.automation.processes import InterruptibleCommand, Processes
from dittoinfra.automation.project import Listing, NoProjectError, Project, find_project
from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step, whole_steps
from dittoinfra.automation.stack import ProjectStack

__all__ = [
    "Changes",
    "CliFailedError",
    "CommandLine",
    "Diagnostic",
    "Difference",
    "InterruptibleCommand",
    "Listing",
    "NoProjectError",
    "ObjectReference",
    "Processes",
    "Project",
    "ProjectStack",
    "RunOptions",
    "RunReport",
    "Step",
    "find_project",
    "metadata_of",
    "object_of",
    "plain",
    "server_around",
    "whole_steps",
]
