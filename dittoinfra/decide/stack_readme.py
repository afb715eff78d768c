"""The stack's output `readme`, which Pulumi Cloud shows as the stack's page. Pure.

It is part of the state, so it holds nothing that changes by itself: no state of an adapter, no address of a
load balancer, no time. It changes when an adapter is added, removed, moved or renamed, and then only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.decide.endpoints import Endpoints, host_and_port, mount_commands
from dittoinfra.naming import adapter_service
from dittoinfra.nested_values import block, text

_MOST = 100
"""Adapters that are listed: a page is for people, and is stored with the state."""


@dataclass(frozen=True, slots=True)
class ReadmeAdapter:
    """What the page tells of one adapter."""

    server: str
    namespace: str
    type: str
    port: int
    """The port that clients use."""
    hostname: str | None = None
    """Its name outside the cluster, where it has one."""

    @property
    def place(self) -> str:
        """Host and port for clients."""
        inside = f"{adapter_service(self.server, self.type)}.{self.namespace}.svc"
        return f"{self.hostname or inside}:{self.port}"


def held_in_readme(server: str, outputs: Mapping[str, Any]) -> Iterator[ReadmeAdapter]:
    """The adapters of a server that stays as it is, from its outputs in the state."""
    for adapter_type in block(outputs, "adapters"):
        adapter = block(outputs, "adapters", adapter_type)
        if internal := text(block(adapter, "endpoints"), "internal"):
            _, port = host_and_port(internal)
            namespace = text(outputs, "namespace") or "default"
            hostname = text(block(adapter, "dns"), "hostname")
            yield ReadmeAdapter(server, namespace, adapter_type, port, hostname)


def stack_readme(stack: str, adapters: Sequence[ReadmeAdapter]) -> str:
    """The page, as Markdown. The order of the configuration does not matter."""
    ordered = sorted(adapters, key=lambda adapter: (adapter.server, adapter.type))
    lines = [f"# {stack}", ""]
    if adapters:
        lines += [
            "| server | namespace | adapter | for clients | mount |",
            "|---|---|---|---|---|",
            *map(_row, ordered[:_MOST]),
        ]
    else:
        lines.append("No adapter is served yet.")
    if len(adapters) > _MOST:
        lines += ["", f"{len(adapters) - _MOST} more are in the output `servers`."]
    lines += [
        "",
        f"`dittoinfra status {stack}` tells addresses outside the cluster, and whether clients can connect.",
    ]
    return "\n".join(lines) + "\n"


def _row(adapter: ReadmeAdapter) -> str:
    commands = mount_commands(adapter.type, Endpoints(None, adapter.place))
    mount = f"`{commands[0]}`" if commands else ""
    cells = (adapter.server, adapter.namespace, f"`{adapter.type}`", f"`{adapter.place}`", mount)
    return f"| {' | '.join(cells)} |"
