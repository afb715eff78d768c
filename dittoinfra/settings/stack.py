"""Settings of a stack: every key of the `dittoinfra:` namespace."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from dittoinfra.settings.deploy import ServerSecrets
from dittoinfra.settings.discovery import ServersFrom
from dittoinfra.settings.labels import LabelSelector
from dittoinfra.settings.server import Layer, ServerSettings

ANY_SERVER = "*"
"""Key of `passwords` for servers without one of their own."""


def _removal_name(value: str) -> str:
    server, slash, adapter = value.partition("/")
    if not (server and slash and adapter):
        raise ValueError("must name an adapter as server/type, for instance media/nfs")
    return value


RemovalName = Annotated[str, AfterValidator(_removal_name)]


class SelectorSettings(Layer):
    """Settings for every server that a selector selects."""

    selector: LabelSelector
    """Which servers, by their labels."""


class StackSettings(Layer):
    """The stack's configuration, as written."""

    servers: list[ServerSettings] = Field(default_factory=list)
    """The DittoFS servers of this stack."""
    servers_from: list[ServersFrom] = Field(default_factory=list)
    """Servers that live in the cluster already, found by their labels at every run. One that is named in
    `servers` as well is the named one."""
    selectors: list[SelectorSettings] = Field(default_factory=list)
    """Settings for the servers that each of these selects, in order: a later one wins over an earlier one,
    and a server's own settings win over all of them."""
    passwords: dict[str, SecretStr] = Field(default_factory=dict)
    """API passwords by server name, `*` for all others. Always encrypted."""
    server_secrets: dict[str, ServerSecrets] = Field(default_factory=dict)
    """Secrets of deployed servers by server name. Always encrypted."""
    approve_removals: list[RemovalName] = Field(default_factory=list)
    """Adapters (server/type) whose removal the brake may let through; it must name exactly those."""
    max_concurrent_polls: Annotated[int, Field(ge=1, le=1000)] = 200
    """Servers that are asked at the same time, each over one connection."""
