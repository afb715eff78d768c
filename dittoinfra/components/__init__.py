"""Pulumi components. Only this package imports pulumi_kubernetes, because that import is slow."""

from dittoinfra.components.adapter_service import AdapterObjects
from dittoinfra.components.collect import collect_objects
from dittoinfra.components.headless import declare_headless
from dittoinfra.components.held_resources import declare_held, declare_held_server
from dittoinfra.components.namespace import declare_namespaces
from dittoinfra.components.server_component import ServerArgs, collect_server, declare_server

__all__ = [
    "AdapterObjects",
    "ServerArgs",
    "collect_objects",
    "collect_server",
    "declare_headless",
    "declare_held",
    "declare_held_server",
    "declare_namespaces",
    "declare_server",
]
