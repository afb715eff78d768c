"""Asking DittoFS servers which adapters they serve, without ever raising into a run."""

from dittoinfra.dittofs.access import AccessProblems, ApiAccess, NotAsked, PasswordSource, resolve_access
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.parse import Refused, parse_adapters
from dittoinfra.dittofs.polling import Polling

__all__ = [
    "AccessProblems",
    "ApiAccess",
    "DittoFSClient",
    "NotAsked",
    "PasswordSource",
    "Polling",
    "Refused",
    "parse_adapters",
    "resolve_access",
]
