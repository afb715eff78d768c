"""The configuration file of a new stack: what goes into it, and its commented text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pydantic import TypeAdapter, ValidationError

from dittoinfra.naming import sanitize
from dittoinfra.settings.adapter_settings import ServiceSettings
from dittoinfra.settings.base import Namespace, ServerName
from dittoinfra.settings.server import Url
from dittoinfra.setup.new_project import SCHEMA, write_schema
from dittoinfra.whole_files import write_new

ServiceType = Literal["LoadBalancer", "NodePort", "ClusterIP"]
SERVICE_TYPES: tuple[ServiceType, ...] = get_args(ServiceType)
DEFAULT_SERVICE_TYPE: ServiceType = ServiceSettings.model_fields["type"].default

_STACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class InvalidAnswerError(ValueError):
    """An answer that cannot be used: which, and why."""


class StackFileExistsError(Exception):
    """The stack's configuration file exists already."""


@dataclass(frozen=True, slots=True)
class NewServer:
    """One server of the stack."""

    name: str
    url: str | None
    """Where its API is; None where only the cluster reaches it, by port-forward."""
    deploy: bool
    """Whether the stack makes it, or it exists already."""
    target: str | None = None
    """The target of the port-forward; None where that is its first Pod."""


@dataclass(frozen=True, slots=True)
class NewStack:
    """Everything that goes into the stack's file."""

    stack: str
    namespace: str
    servers: tuple[NewServer, ...]
    service_type: ServiceType = DEFAULT_SERVICE_TYPE
    username: str | None = None
    """None for one that is named after the stack."""
    kubeconfig: str | None = None
    context: str | None = None
    create_namespace: bool = False
    """Whether the stack declares the namespace too, which takes a server that it deploys."""

    @property
    def user(self) -> str:
        """API user of the stack."""
        return self.username or default_username(self.stack)


def default_username(stack: str) -> str:
    """A user of the stack's own: another stack on the same server has another one, with its own password."""
    return f"dittoinfra-{sanitize(stack)}"


def stack_name(text: str) -> str:
    """A valid name for a stack and its file, or `InvalidAnswerError`."""
    if _STACK_NAME.fullmatch(text) is None:
        raise InvalidAnswerError(
            f"stack name {text!r} must be letters, digits, '.', '_' and '-', and start with a letter or digit"
        )
    return text


def service_type(text: str) -> ServiceType:
    """A type of Service, however its letters are written, or `InvalidAnswerError`."""
    for known in SERVICE_TYPES:
        if text.lower() == known.lower():
            return known
    raise InvalidAnswerError(f"service type {text!r} must be one of {', '.join(SERVICE_TYPES)}")


def _valid(adapter: TypeAdapter[str], what: str, text: str) -> str:
    try:
        return adapter.validate_python(text, strict=True)
    except ValidationError as error:
        first: Any = error.errors(include_input=False, include_url=False)[0]
        reason = str(first.get("ctx", {}).get("error") or first["msg"])
        # An address may carry a password before its host.
        shown = f"{what} {text!r}" if "@" not in text else what
        raise InvalidAnswerError(f"{shown} {reason.replace('String should', 'must')}") from None


# Each returns its argument, or raises `InvalidAnswerError`.
namespace = partial(_valid, TypeAdapter(Namespace), "namespace")
server_name = partial(_valid, TypeAdapter(ServerName), "server name")
api_url = partial(_valid, TypeAdapter(Url), "address")


def existing_server(text: str) -> NewServer:
    """A server as `NAME=URL`, or as `NAME` where only the cluster reaches it."""
    name, equals, url = text.partition("=")
    return NewServer(server_name(name), api_url(url) if equals else None, deploy=False)


def deployed_server(text: str) -> NewServer:
    """A server as `NAME` or `NAME=URL`."""
    name, equals, url = text.partition("=")
    return NewServer(server_name(name), api_url(url) if equals else None, deploy=True)


def stack_yaml(stack: NewStack) -> str:
    """The whole file; the engine's own CLI adds the secrets later, encrypted."""
    cluster = "\n".join(_cluster(stack))
    servers = "\n".join(line for server in stack.servers for line in _server(stack, server))
    return f"""\
# yaml-language-server: $schema={SCHEMA}
#
# Made by `dittoinfra init`, and yours from now on. Editors complete every setting from the schema beside
# this file; dittoinfra's docs/configuration.md describes them.
config:
{cluster}
  # Written here, a setting is for every server of the stack; a server may differ.
  dittoinfra:namespace: {_scalar(stack.namespace)}
  dittoinfra:adapters:
    # Servers listen on unprivileged ports; for clients that expect the well-known ones:
    # types: {{nfs: {{servicePort: 2049}}, smb: {{servicePort: 445}}}}
    service:
      # How adapters are exposed: LoadBalancer, NodePort or ClusterIP.
      type: {stack.service_type}
  dittoinfra:api:
    # A user of its own, with the role `user`: it may read ports and nothing else. Its password is
    # encrypted in dittoinfra:passwords.
    username: {_scalar(stack.user)}
  dittoinfra:servers:
{servers}
"""


def _cluster(stack: NewStack) -> Iterator[str]:
    if stack.kubeconfig is None and stack.context is None:
        yield "  # Which cluster: whatever kubectl would use. Better name it:"
        yield "  # kubernetes:context: production"
        return
    yield "  # Which cluster."
    if stack.kubeconfig is not None:
        yield f"  kubernetes:kubeconfig: {_scalar(stack.kubeconfig)}"
    if stack.context is not None:
        yield f"  kubernetes:context: {_scalar(stack.context)}"


def _server(stack: NewStack, server: NewServer) -> Iterator[str]:
    yield f"    - name: {_scalar(server.name)}"
    if server.url is not None:
        yield "      api:"
        yield f"        url: {_scalar(server.url)}"
    elif not server.deploy:
        target = f"target: {_scalar(server.target)}" if server.target is not None else ""
        yield "      api:"
        yield "        # Its API is asked through the cluster, and needs no address outside of it."
        yield f"        portForward: {{{target}}}"
    if server.deploy:
        yield "      # The stack makes the server itself too, from secrets that are encrypted in"
        yield "      # dittoinfra:serverSecrets."
        yield "      deploy:"
        if stack.create_namespace:
            yield "        # The namespace, too. It stays when the stack is destroyed."
            yield "        createNamespace: true"
        yield "        storage:"
        yield "          # What clients write: without this claim it is lost with the Pod."
        yield "          content: {size: 10Gi}"


def _scalar(text: str) -> str:
    """The text as YAML reads it back: quoted only where it would be something else than text."""
    return (
        yaml.safe_dump(text, width=float("inf"), allow_unicode=True).removesuffix("\n").removesuffix("\n...")
    )


def write_stack_file(path: Path, text: str) -> None:
    """Write a new file with its schema beside it, and never over one that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Last: with its file the stack exists, and `init` goes on with it.
    write_schema(path.parent)
    try:
        write_new(path, text)
    except FileExistsError:
        raise StackFileExistsError(f"{path} exists already, and is not overwritten") from None
