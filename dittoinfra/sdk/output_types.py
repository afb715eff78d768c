"""Outputs of the public components; the keys are spelled as in the outputs of a stack."""

from typing import Required, TypedDict


class Endpoints(TypedDict, total=False):
    """Where clients reach an adapter."""

    type: Required[str]
    """Type of its Service."""
    internal: str
    """Host and port inside the cluster."""
    external: Required[list[str]]
    """Hosts and ports outside the cluster, once a load balancer has given some."""
    nodePort: int
    """Port on every node, where the Service has one."""


class Dns(TypedDict):
    """An adapter's names."""

    backend: str
    """The controller that puts them into DNS."""
    hostname: str
    """The host name."""
    aliases: list[str]
    """Further names."""
    addresses: list[str]
    """Where they lead."""
    reason: str
    """How they stand, in one word."""


class Adapter(TypedDict, total=False):
    """An adapter that has a Service."""

    state: Required[str]
    """`serving`, `absent 1/3`, `kept`, `pinned`, `disabled` or `not running`."""
    port: Required[int]
    """Port that it listens on."""
    endpoints: Required[Endpoints]
    """Where clients reach it."""
    dns: Dns
    """Its names, where it has some."""


class Condition(TypedDict):
    """One condition of a server, as Kubernetes knows them."""

    type: str
    """`APIReachable`, `AdaptersReady` or `Ready`."""
    status: str
    """`True`, `False` or `Unknown`."""
    reason: str
    """Why, in one word."""
    message: str
    """Why, for people."""
