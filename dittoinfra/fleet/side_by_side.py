"""Several stacks at once, none in another's way."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from dittoinfra.automation import Processes, Project, RunReport
from dittoinfra.automation.waiting import results
from dittoinfra.fleet.orders import Orders
from dittoinfra.fleet.result import FleetResult, Operation, StackResult
from dittoinfra.fleet.watching import Watcher
from dittoinfra.fleet.work import Listening, StackWork

Approve = Callable[[FleetResult], bool]
"""Asked once, with everything that is foreseen for every stack."""


def at_once_here() -> int:
    """Stacks at a time on this machine: a run waits about as much as it works."""
    return max(2, min(8, os.cpu_count() or 1))


def operate(
    project: Project,
    stacks: Sequence[str],
    orders: Orders,
    *,
    at_once: int,
    watcher: Watcher,
    processes: Processes,
    approve: Approve | None = None,
    listening: Listening | None = None,
) -> FleetResult | None:
    """Do it to every stack; one that fails stops no other. None where it was not approved.

    With `approve` all of them are foreseen first, and nothing is done unless it says so. Without it every
    stack goes its way from preview to end. `listening` hears everything that the engine says.
    """
    works = [StackWork(project, name, orders, watcher, processes, listening) for name in stacks]
    with ThreadPoolExecutor(max(1, at_once), "stack") as pool:

        def each(step: Callable[[StackWork], StackResult]) -> FleetResult:
            return FleetResult(tuple(results([pool.submit(_guarded(step), work) for work in works])))

        if orders.operation is Operation.PREVIEW:
            return each(StackWork.foresee)
        if orders.skip_preview:
            return each(StackWork.carry_out)
        if approve is None:
            return each(_whole)
        foreseen = each(StackWork.foresee)
        if not processes.interrupted and not approve(foreseen):
            return None
        return each(StackWork.carry_out)


def _whole(work: StackWork) -> StackResult:
    work.foresee()
    return work.carry_out()


def _guarded(work: Callable[[StackWork], StackResult]) -> Callable[[StackWork], StackResult]:
    """No bug of ours on one stack may take the others along."""

    def guarded(on: StackWork) -> StackResult:
        try:
            return work(on)
        except Exception as error:  # noqa: BLE001 - that is the point
            # Only its type: the text of an unforeseen error may hold anything, even a password.
            line = f"internal error: {type(error).__name__}; please report it"
            result = StackResult(on.name, on.orders.operation, RunReport.failed(line, 1), 0.0)
            on.watcher.ended(result)
            return result

    return guarded
