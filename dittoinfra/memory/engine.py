"""The engine's own state of the running stack: the only memory there is."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from dittoinfra.memory.fingerprints import fingerprints
from dittoinfra.memory.names import remembered_names
from dittoinfra.memory.objects import held_objects
from dittoinfra.memory.servers import remembered_servers
from dittoinfra.memory.services import remembered
from dittoinfra.memory.workload import remembered_workloads
from dittoinfra.model import HeldObject, NameMemory, ServersMemory, StackMemory, WorkloadMemory

_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts: a file backend may be read in the very moment the engine writes to it."""


class MemoryUnreadableError(Exception):
    """The engine cannot tell what the stack holds, so nothing can be decided."""

    def __init__(self, why: object) -> None:
        super().__init__(
            f"the stack's own state cannot be read: {why}; nothing is declared without it; run again, and if "
            "it stays so, check the backend with `pulumi stack export`"
        )


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything that is remembered of the last state of this stack."""

    adapters: StackMemory
    workloads: WorkloadMemory
    objects: frozenset[HeldObject]
    servers: ServersMemory
    names: NameMemory
    fingerprints: Mapping[str, str]
    """One for every resource by URN: whoever finds another one knows that the state has moved."""


def read_memory() -> Memory:
    """What the last state of this stack holds. To be called before anything is declared."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    for pause in _PAUSES:
        try:
            return _remembered(_resources(stack))
        except MemoryUnreadableError:
            time.sleep(pause)
    return _remembered(_resources(stack))


def _remembered(resources: Mapping[str, Any]) -> Memory:
    return Memory(
        adapters=remembered(resources),
        workloads=remembered_workloads(resources),
        objects=held_objects(resources),
        servers=remembered_servers(resources),
        names=remembered_names(resources),
        fingerprints=fingerprints(resources),
    )


def _resources(stack: str) -> Mapping[str, Any]:
    try:
        answer = pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {"stackName": stack})
    except Exception as error:  # noqa: BLE001 - the SDK raises nothing narrower
        raise MemoryUnreadableError(error) from None
    resources = (answer.value or {}).get("outputs")
    # No answer must never pass for an empty stack: that would remove everything.
    if not isinstance(resources, Mapping):
        raise MemoryUnreadableError("the engine's answer holds no resources")
    return resources
