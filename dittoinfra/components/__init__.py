"""What is declared, as resources of the engine."""

from dittoinfra.components.held_resources import declare_held, declare_held_server
from dittoinfra.components.kubernetes_object import KubernetesObject, declare_object
from dittoinfra.components.server_component import AdapterService, declare_server

__all__ = [
    "AdapterService",
    "KubernetesObject",
    "declare_held",
    "declare_held_server",
    "declare_object",
    "declare_server",
]
