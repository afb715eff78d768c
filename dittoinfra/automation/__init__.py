"""Running stacks of this project on the real engine, in-process."""

from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step
from dittoinfra.automation.stack import ProjectStack

__all__ = ["Changes", "Diagnostic", "ProjectStack", "RunReport", "Step"]
