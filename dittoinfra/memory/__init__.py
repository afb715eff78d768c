"""What the stack declared last time, as the engine's state holds it."""

from dittoinfra.memory.engine import Memory, MemoryUnreadableError, read_memory
from dittoinfra.memory.names import DNS_OUTPUT, ingress_addresses, remembered_names, told_names
from dittoinfra.memory.objects import held_objects
from dittoinfra.memory.servers import remembered_servers
from dittoinfra.memory.services import adapter_of, remembered, remembered_manifests
from dittoinfra.memory.workload import fixed_fields, remembered_workloads

__all__ = [
    "DNS_OUTPUT",
    "Memory",
    "MemoryUnreadableError",
    "adapter_of",
    "fixed_fields",
    "held_objects",
    "ingress_addresses",
    "read_memory",
    "remembered",
    "remembered_manifests",
    "remembered_names",
    "remembered_servers",
    "remembered_workloads",
    "told_names",
]
