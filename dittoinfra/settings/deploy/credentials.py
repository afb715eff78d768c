"""Secrets of a deployed server: by reference, or from the stack's encrypted configuration."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from dittoinfra.settings.base import ObjectName, Settings

JWT_MIN_LENGTH = 32
PASSWORD_LENGTHS = range(8, 73)
"""What the server takes: its passwords are hashed with bcrypt, which reads 72 bytes and no more."""

DataKey = Annotated[str, Field(max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")]


def _signing_key(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) < JWT_MIN_LENGTH:
        raise ValueError(
            f"must be at least {JWT_MIN_LENGTH} characters long, or the server refuses to start; "
            "`openssl rand -base64 48` makes a good one"
        )
    return value


def _password(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) not in PASSWORD_LENGTHS:
        raise ValueError(
            f"must be {PASSWORD_LENGTHS[0]} to {PASSWORD_LENGTHS[-1]} bytes long, "
            "or the server refuses to start"
        )
    return value


class SecretKey(Settings):
    """A key of a Secret that exists already, in the server's namespace."""

    secret: ObjectName
    """Name of the Secret."""
    key: DataKey
    """Key in it."""


class Credentials(Settings):
    """Where the secrets come from; what is unset is taken from `dittoinfra:serverSecrets`."""

    jwt: SecretKey | None = None
    """The key that signs tokens, at least 32 characters."""
    admin_password: SecretKey | None = None
    """Password of the administrator `admin`, whom the server makes at its very first start."""


class ServerSecrets(Settings):
    """One server's secrets; the stack makes Kubernetes Secrets of them."""

    jwt: Annotated[SecretStr, AfterValidator(_signing_key)] | None = None
    """The key that signs tokens, at least 32 characters. Another one restarts the server."""
    admin_password: Annotated[SecretStr, AfterValidator(_password)] | None = None
    """Password of the administrator `admin`. The server reads it at its very first start only."""
