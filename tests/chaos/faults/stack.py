"""The stack that meets every fault, and what is held against it afterwards."""

import json
import time
import tracemalloc
from dataclasses import dataclass
from typing import Any

from dittoinfra.nested_values import mapped
from dittoinfra.stacks.result import RunReport
from dittoinfra.state.server_outputs import ASKED_AT
from lab.simulator import SimulatedDittoFS
from tests.chaos.faults.fault import AT_ONCE, Limits, Place
from tests.engine.world import PASSWORD_ENV, STACK, World

USERNAME = "reader"
ADMINISTRATOR = "admin"


@dataclass(frozen=True, slots=True)
class Met:
    """A run that met a fault, and what it cost."""

    report: RunReport
    seconds: float
    peak: int
    """Bytes that it, and the faulty server beside it, held at most, beyond what was there before."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a fault must leave as it is."""

    manifests: dict[str, bytes]
    resources: dict[str, Any]
    """The engine's state, without what a run says about itself: the stack's own outputs, and where a server
    with a fault, which has an address of its own, was asked."""


@dataclass(frozen=True, slots=True)
class Stack:
    """One server with two adapters."""

    world: World
    dittofs: SimulatedDittoFS

    def meet(self, place: Place, limits: Limits) -> Met:
        """A run whose server is found at this place."""
        api = {
            "url": place.url,
            "username": USERNAME,
            "passwordEnv": PASSWORD_ENV,
            "deadline": f"{limits.deadline:g}s",
            "requestTimeout": f"{limits.request_timeout:g}s",
        }
        self.world.configure({"name": "media", "namespace": "files", "api": {**api, **place.api}})
        tracemalloc.start()
        try:
            began = time.monotonic()
            report = self.world.up()
            return Met(report, time.monotonic() - began, tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    def recover(self) -> RunReport:
        """A run at the healthy server."""
        return self.meet(Place(self.dittofs.url), AT_ONCE).report

    def snapshot(self) -> Snapshot:
        """How things stand."""
        manifests = self.world.manifests
        return Snapshot(
            {str(path.relative_to(manifests)): path.read_bytes() for path in manifests.rglob("*.yaml")},
            {each["urn"]: _lasting(each) for each in self.state()["checkpoint"]["latest"]["resources"]},
        )

    def state(self) -> dict[str, Any]:
        """The engine's state as it lies on disk."""
        (path,) = (self.world.root / ".pulumi" / "stacks").rglob(f"{STACK}.json")
        document: dict[str, Any] = json.loads(path.read_text())
        return document


def _lasting(resource: dict[str, Any]) -> dict[str, Any]:
    said = {"outputs"} if resource["type"] == "pulumi:pulumi:Stack" else set()
    lasting: dict[str, Any] = mapped(_without(resource, said), lambda value: _without(value, {ASKED_AT}))
    return lasting


def _without(value: Any, keys: set[str]) -> Any:  # noqa: ANN401 - any part of a state
    return {key: it for key, it in value.items() if key not in keys} if isinstance(value, dict) else value
