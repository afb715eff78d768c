"""Asking DittoFS servers which adapters they serve, without ever raising into a run."""

from dittoinfra.dittofs.access import AccessProblems, ApiAccess, ClusterSide, NotAsked, resolve_access
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.ending import FinalError, PassingError, StepError
from dittoinfra.dittofs.login import Login, PasswordSource, StoredLogin
from dittoinfra.dittofs.parse import Refused, parse_adapters
from dittoinfra.dittofs.polling import Polling
from dittoinfra.dittofs.tunnel import Tunnel

__all__ = [
    "AccessProblems",
    "ApiAccess",
    "ClusterSide",
    "DittoFSClient",
    "FinalError",
    "Login",
    "NotAsked",
    "PassingError",
    "PasswordSource",
    "Polling",
    "Refused",
    "StepError",
    "StoredLogin",
    "Tunnel",
    "parse_adapters",
    "resolve_access",
]
