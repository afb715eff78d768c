"""What is done to a stack before an operation begins: its lock, and what an interrupted run has left."""

from dittoinfra.automation import CliFailedError, ProjectStack, RunReport
from dittoinfra.exitcodes import ExitCode
from dittoinfra.fleet.orders import Orders
from dittoinfra.fleet.result import Operation


def make_ready(stack: ProjectStack, orders: Orders) -> RunReport:
    """Release the lock where that is ordered, and let the state know what became of an interrupted run.

    Both come before the preview, which has to tell what is done to the stack as it really is. A preview that
    is all there is to do changes nothing, and only tells.
    """
    if orders.break_lock:
        _break_lock(stack)
    return stack.unfinished() if orders.operation is Operation.PREVIEW else stack.recover()


def _break_lock(stack: ProjectStack) -> None:
    try:
        stack.break_lock()
    except CliFailedError as error:
        # What is not there yet has no lock.
        if not stack.create or error.exit_code != ExitCode.NO_SUCH_STACK:
            raise
