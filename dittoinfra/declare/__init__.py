"""Pulumi components. The only place that imports pulumi_kubernetes, which takes a while."""

from dittoinfra.decide import ServicePort
from dittoinfra.declare.adapter_service import AdapterService, AdapterServiceArgs
from dittoinfra.declare.headless import HeadlessService, HeadlessServiceArgs
from dittoinfra.declare.namespace import declare_namespaces, inside
from dittoinfra.declare.rehearsal import rehearse
from dittoinfra.declare.server import Server, ServerArgs

__all__ = [
    "AdapterService",
    "AdapterServiceArgs",
    "HeadlessService",
    "HeadlessServiceArgs",
    "Server",
    "ServerArgs",
    "ServicePort",
    "declare_namespaces",
    "inside",
    "rehearse",
]
