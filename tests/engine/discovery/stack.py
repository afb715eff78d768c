"""A stack that finds its servers, and what a run of it does."""

from typing import Any

from dittoinfra.stacks.result import RunReport
from lab.simulator import SimulatedDittoFS
from tests.engine.discovery.place import Place
from tests.engine.world import PASSWORD_ENV, World

OURS = {"matchLabels": {"app": "dittofs-server"}}
COLD = {"matchLabels": {"tier": "cold"}}


def finding(
    world: World, dittofs: SimulatedDittoFS, place: Place, *servers: dict[str, Any], **settings: object
) -> None:
    """A stack that finds its servers in one namespace, with one API behind all of them."""
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    world.configure(
        *servers, **{"namespace": place.name, "serversFrom": [{"selector": OURS}], "api": api, **settings}
    )


def adapters(place: Place) -> set[str]:
    return {name for name in place.services() if "-adapter-" in name}


def touched(report: RunReport) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every step of a run: the resource, what becomes of it, and which paths of it change."""
    return {
        f"{step.type.rpartition(':')[2]} {step.name}": (step.operation, step.changed) for step in report.steps
    }


def count(place: Place, service: str) -> str | None:
    annotations: dict[str, str] = place.services()[service]["metadata"].get("annotations", {})
    return annotations.get("dittofs.io/absence-count")
