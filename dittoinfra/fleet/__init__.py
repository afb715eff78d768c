"""Several stacks at once: which, how many side by side, and what came of each."""

from dittoinfra.fleet.orders import WAIT_SECONDS, Orders
from dittoinfra.fleet.result import FleetResult, Operation, StackResult
from dittoinfra.fleet.selection import Selection, SelectionError, select_stacks
from dittoinfra.fleet.side_by_side import Approve, at_once_here, operate
from dittoinfra.fleet.watching import Phase, Watcher

__all__ = [
    "WAIT_SECONDS",
    "Approve",
    "FleetResult",
    "Operation",
    "Orders",
    "Phase",
    "Selection",
    "SelectionError",
    "StackResult",
    "Watcher",
    "at_once_here",
    "operate",
    "select_stacks",
]
