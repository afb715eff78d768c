"""Asking DittoFS servers which adapters they serve, without ever raising into a run."""

from dittoinfra.dittofs.api_access import AccessProblems, ApiAccess, Login, NotAsked, resolve_access
from dittoinfra.dittofs.client import LOOKING
from dittoinfra.dittofs.polling import Polling

__all__ = ["LOOKING", "AccessProblems", "ApiAccess", "Login", "NotAsked", "Polling", "resolve_access"]
