"""Settings of a stack: every key of the `dittoinfra:` namespace."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from dittoinfra.settings.base import Duration, ServerName, Settings, matching
from dittoinfra.settings.deploy import ServerSecrets
from dittoinfra.settings.selectors import LabelSelector, ServersFrom
from dittoinfra.settings.server import Layer, ServerSettings

ANY_SERVER = "*"
"""Key of `passwords` for servers without one of their own."""


RemovalName = Annotated[
    str, matching(r"(?s)[^/]+/.+", "must name an adapter as server/type, for instance media/nfs")
]


class Brake(Settings):
    """How much of a stack one run may remove without approval. Some removals need it whatever the numbers:
    those that leave the stack without any adapter, unless all were disabled on their servers; moves to
    another namespace or cluster; second Services of adapters that are not split any more; and those of a
    server that is not configured any more, where another server is new in the same run or the stack says
    `removal: never`."""

    adapters: Annotated[int, Field(ge=1, le=100_000)] = 10
    """Adapters that a stack must have before a share of them counts: one of three is a third, and nothing
    unusual."""
    percent: Annotated[int, Field(ge=0, le=100)] = 30
    """Share of a stack's adapters that one run may remove. 0: every removal needs approval."""


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
    """Adapters (server/type) whose removal the brake may let through: exactly those that the run removes, one
    that moves to another namespace included, and one whose server is not configured any more. Beside
    these, `server/deploy` approves that the stack deletes what runs a server that it has deployed: where
    `deploy` is not configured any more, and for a server without adapters where that leaves the
    configuration or its cluster."""
    brake: Brake = Field(default_factory=Brake)
    """When a run that removes adapters stops for approval."""
    report_in_use: bool = False
    """Report how many clients a run would cut off by removing an adapter or restarting its server. Needs an
    administrator's login. See docs/in-use.md"""
    protect_in_use: bool = False
    """As `reportInUse`, and where clients would be cut off, or where that cannot be told, the run stops until
    `approveRemovals` or `approveRestarts` names what it does."""
    approve_restarts: list[ServerName] = Field(default_factory=list)
    """Servers that a run may restart although they are in use."""
    drain_uploads: bool = False
    """Before restarting a server, wait until it has uploaded all buffered writes; stop the run if that fails.
    Needs an administrator's login. See docs/in-use.md"""
    drain_timeout: Duration = timedelta(minutes=10)
    """How long an update waits for these uploads."""
    on_refusal: Literal["fail", "hold"] = "fail"
    """What a refused run does. `hold`: it succeeds, everything that the stack holds stays exactly as it is,
    and the reason is a warning and the message of the condition `Ready`. That is for engines that give up
    after some failures, as the Pulumi Kubernetes Operator does. A wrong configuration fails in any case."""
    max_concurrent_polls: Annotated[int, Field(ge=1, le=1000)] = 200
    """Servers that are asked at the same time, each over one connection."""
