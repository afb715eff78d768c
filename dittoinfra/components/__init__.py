"""Pulumi components. Only this package imports pulumi_kubernetes, because that import is slow."""

from dittoinfra.components.adapter_service import AdapterObjects
from dittoinfra.components.collect import collect_objects
from dittoinfra.components.headless import HeadlessService, HeadlessServiceArgs
from dittoinfra.components.held_resources import declare_held, declare_held_server
from dittoinfra.components.namespace import declare_namespaces
from dittoinfra.components.server_component import ServerArgs, collect_server, declare_server
from dittoinfra.decide.exposure import ServicePort

__all__ = [
    "AdapterObjects",
    "HeadlessService",
    "HeadlessServiceArgs",
    "ServerArgs",
    "ServicePort",
    "collect_objects",
    "collect_server",
    "declare_held",
    "declare_held_server",
    "declare_namespaces",
    "declare_server",
]
