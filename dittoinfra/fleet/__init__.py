"""Several stacks at once: which, how many side by side, and what came of each."""

from dittoinfra.fleet.result import FleetResult, Operation, StackResult

__all__ = ["FleetResult", "Operation", "StackResult"]
