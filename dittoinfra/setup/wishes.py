"""What a person wants a new stack to be. Pure."""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from dittoinfra.settings import ServiceSettings
from dittoinfra.settings.base import Namespace, ServerName
from dittoinfra.settings.server import Url

ServiceType = Literal["LoadBalancer", "NodePort", "ClusterIP"]
SERVICE_TYPES: tuple[ServiceType, ...] = get_args(ServiceType)
USUAL_SERVICE_TYPE: ServiceType = ServiceSettings.model_fields["type"].default
USUAL_USERNAME = "dittoinfra"

_STACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NAMESPACE: TypeAdapter[str] = TypeAdapter(Namespace)
_SERVER: TypeAdapter[str] = TypeAdapter(ServerName)
_URL: TypeAdapter[str] = TypeAdapter(Url)

_T = TypeVar("_T")


class WishRefusedError(ValueError):
    """An answer that cannot be used: which, and why."""


@dataclass(frozen=True, slots=True)
class ServerWish:
    """One server of the stack."""

    name: str
    url: str | None
    """Where its API is; None where nobody knows yet."""
    deploy: bool
    """Whether the stack makes it, or it exists already."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Everything that goes into the stack's file."""

    stack: str
    namespace: str
    servers: tuple[ServerWish, ...]
    service_type: ServiceType = USUAL_SERVICE_TYPE
    username: str = USUAL_USERNAME
    kubeconfig: str | None = None
    context: str | None = None


def stack_name(text: str) -> str:
    """A name that a stack can have, and its file too."""
    if _STACK_NAME.fullmatch(text) is None:
        raise WishRefusedError(
            f"stack name {text!r} must be letters, digits, '.', '_' and '-', and start with a letter or digit"
        )
    return text


def namespace(text: str) -> str:
    """A name that a namespace can have."""
    return _valid(_NAMESPACE, "namespace", text)


def server_name(text: str) -> str:
    """A name that a server can have."""
    return _valid(_SERVER, "server name", text)


def api_url(text: str) -> str:
    """An address that an API can have."""
    return _valid(_URL, "address", text)


def existing_server(text: str) -> ServerWish:
    """A server as `NAME=URL`."""
    name, equals, url = text.partition("=")
    if not equals:
        raise WishRefusedError(
            f"server {text!r} must be NAME=URL; a server that the stack is to deploy is named with --deploy"
        )
    return ServerWish(server_name(name), api_url(url), deploy=False)


def deployed_server(text: str) -> ServerWish:
    """A server as `NAME` or `NAME=URL`."""
    name, equals, url = text.partition("=")
    return ServerWish(server_name(name), api_url(url) if equals else None, deploy=True)


def _valid(adapter: TypeAdapter[_T], what: str, text: str) -> _T:
    try:
        return adapter.validate_python(text, strict=True)
    except ValidationError as error:
        first: Any = error.errors(include_input=False, include_url=False)[0]
        reason = str(first.get("ctx", {}).get("error") or first["msg"])
        # An address may carry a password before its host.
        shown = f"{what} {text!r}" if "@" not in text else what
        raise WishRefusedError(f"{shown} {reason.replace('String should', 'must')}") from None
