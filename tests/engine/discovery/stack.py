"""A stack with `serversFrom`, and the steps of its runs."""

from typing import Any

from dittoinfra.stacks.result import RunReport
from lab.simulator import SimulatedDittoFS
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.world import PASSWORD_ENV, World

OURS = {"matchLabels": {"app": "dittofs-server"}}
COLD = {"matchLabels": {"tier": "cold"}}


def finding(
    world: World,
    dittofs: SimulatedDittoFS,
    server_namespace: ServerNamespace,
    *servers: dict[str, Any],
    **settings: object,
) -> None:
    """Configure a stack that finds its servers in one namespace, all with the same API."""
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    world.configure(
        *servers,
        **{"namespace": server_namespace.name, "serversFrom": [{"selector": OURS}], "api": api, **settings},
    )


def found_pair(world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace) -> None:
    """Run a stack that has found `media` and `backup`."""
    server_namespace.add("media")
    server_namespace.add("backup")
    finding(world, dittofs, server_namespace)
    world.up()


def adapters(server_namespace: ServerNamespace) -> set[str]:
    return {name for name in server_namespace.services() if "-adapter-" in name}


def touched(report: RunReport) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Each step of a run: resource, operation, and changed paths."""
    return {
        f"{step.type.rpartition(':')[2]} {step.name}": (step.operation, step.changed) for step in report.steps
    }


def count(server_namespace: ServerNamespace, service: str) -> str | None:
    annotations: dict[str, str] = server_namespace.services()[service]["metadata"].get("annotations", {})
    return annotations.get("dittofs.io/absence-count")
