"""Who asks an API: a login at hand, or one that is read where it is kept when it is needed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class PasswordSource:
    """Where a password is configured, and how to change it: what a refused login tells people."""

    where: str
    fix: str


@dataclass(frozen=True, slots=True)
class Login:
    """A user's name and password."""

    username: str
    password: SecretStr
    source: PasswordSource


StoredLogin = Callable[[], Awaitable[Login]]
"""Reads a login in the middle of a poll; what keeps it from that is a `StepError`."""
