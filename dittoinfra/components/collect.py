"""Collects the objects of a declaration before any of them is registered with the engine.

A registered resource cannot be withdrawn from the engine: the SDK sends what was declared even when the
program fails afterwards. So a caller that must see the objects first collects them without an engine.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from pulumi.runtime import Settings, configure
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc
from typing_extensions import override

from dittoinfra.nested_values import mapped, without_nulls
from dittoinfra.object_model import DeclaredObject
from dittoinfra.sdk_internals import wait_until_sent
from dittoinfra.state import held_object

_PROJECT, _STACK = "collected", "collected"
"""Names for a run without an engine; no object contains them."""


def collect_objects(
    server: str, declare: Callable[[], object], *, patches: bool = False
) -> tuple[DeclaredObject, ...]:
    """Every Kubernetes object that `declare` would declare for a server.

    Patches change objects of other managers, and are left out unless they are asked for.
    """
    monitor = _RecordingMonitor(f"urn:pulumi:{_STACK}::{_PROJECT}")

    async def collect() -> None:
        configure(Settings(_PROJECT, _STACK, monitor=monitor, dry_run=True))
        declare()
        await wait_until_sent()

    # The SDK keeps its engine in context variables, and a thread starts without any.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="collected") as pool:
        pool.submit(asyncio.run, collect()).result()
    objects = (
        DeclaredObject(server, held, manifest)
        for urn, manifest in monitor.recorded
        if (held := held_object(urn)) is not None
        and (held.kind == manifest["kind"] or (patches and held.kind == f"{manifest['kind']}Patch"))
    )
    # The SDK sends them in any order; here the objects that a Pod reads come before its StatefulSet.
    return tuple(sorted(objects, key=lambda this: (this.kind == "StatefulSet", this.kind, this.name)))


class _RecordingMonitor(resource_pb2_grpc.ResourceMonitorServicer):
    """A resource monitor that records resources and creates none.

    It claims no feature, so the SDK passes every value as it is, secrets included: nothing of it is kept.
    """

    def __init__(self, place: str) -> None:
        self.recorded: list[tuple[str, dict[str, Any]]] = []
        self._place = place

    @override
    def RegisterResource(
        self, request: resource_pb2.RegisterResourceRequest, context: object = None
    ) -> resource_pb2.RegisterResourceResponse:
        urn = f"{self._place}::{request.type}::{request.name}"
        if request.custom:
            self.recorded.append((urn, mapped(MessageToDict(request.object), _as_expected)))
        return resource_pb2.RegisterResourceResponse(urn=urn, id=request.name, object=request.object)

    @override
    def RegisterResourceOutputs(
        self, request: resource_pb2.RegisterResourceOutputsRequest, context: object = None
    ) -> Empty:
        return Empty()


def _as_expected(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    """The value as Kubernetes expects it: the SDK sends all numbers as floating point."""
    return int(value) if isinstance(value, float) and value.is_integer() else without_nulls(value)
