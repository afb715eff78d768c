"""A run of a foreign program, as the reports that runs of ours have."""

from collections.abc import Callable

from pulumi import automation as auto

from dittoinfra.stacks.recorder import Recorder
from dittoinfra.stacks.result import RunReport

Listen = Callable[[auto.EngineEvent], None]


def recorded(operate: Callable[[Listen], object]) -> RunReport:
    """The report of an operation that tells its events to a listener; a failed one says why."""
    recorder = Recorder()
    try:
        operate(recorder.listen)
    except auto.CommandError as error:
        said = recorder.report(1)
        return said if said.lines("error") else recorder.report(1, None, str(error))
    return recorder.report(0)
