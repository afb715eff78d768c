"""What the stack declared last time, as the engine's state holds it."""

from dittoinfra.memory.engine import Memory, MemoryUnreadableError, read_memory
from dittoinfra.memory.objects import held_objects
from dittoinfra.memory.services import remembered
from dittoinfra.memory.workload import fixed_fields, remembered_workloads

__all__ = [
    "Memory",
    "MemoryUnreadableError",
    "fixed_fields",
    "held_objects",
    "read_memory",
    "remembered",
    "remembered_workloads",
]
