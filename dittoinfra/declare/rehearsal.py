"""What a declaration would declare, told before the engine hears of any of it.

An engine that has been told of a resource cannot be told to forget it: the SDK sends what was declared even
when the program fails afterwards. Whoever must see the objects before deciding on them needs a rehearsal.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from pulumi.runtime import Settings, configure
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc
from pulumi.runtime.stack import wait_for_rpcs
from typing_extensions import override

from dittoinfra.memory import held_objects
from dittoinfra.model import DeclaredObject


def rehearse(server: str, declare: Callable[[], object]) -> tuple[DeclaredObject, ...]:
    """Every Kubernetes object that `declare` would declare for a server; patches are none of its own."""
    project, stack = pulumi.get_project(), pulumi.get_stack()
    listener = _Listener(f"urn:pulumi:{stack}::{project}")

    async def listen() -> None:
        configure(Settings(project, stack, monitor=listener, dry_run=True))
        declare()
        await wait_for_rpcs()

    # The SDK keeps its engine in context variables, and a thread starts without any.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="rehearsal") as pool:
        pool.submit(asyncio.run, listen()).result()
    objects = (
        DeclaredObject(server, held, manifest)
        for urn, manifest in listener.heard
        for held in held_objects([urn])
        if held.kind == manifest["kind"]
    )
    # The SDK sends them in any order; here what a Pod reads comes before what makes it.
    return tuple(sorted(objects, key=lambda this: (this.kind == "StatefulSet", this.kind, this.name)))


class _Listener(resource_pb2_grpc.ResourceMonitorServicer):
    """An engine that takes note and makes nothing.

    It claims no feature, so the SDK hands it every value as it is, secrets included: nothing of it is kept.
    """

    def __init__(self, place: str) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self._place = place

    @override
    def RegisterResource(
        self, request: resource_pb2.RegisterResourceRequest, context: object = None
    ) -> resource_pb2.RegisterResourceResponse:
        urn = f"{self._place}::{request.type}::{request.name}"
        if request.custom:
            self.heard.append((urn, _whole_numbers(MessageToDict(request.object))))
        return resource_pb2.RegisterResourceResponse(urn=urn, id=request.name, object=request.object)

    @override
    def RegisterResourceOutputs(
        self, request: resource_pb2.RegisterResourceOutputsRequest, context: object = None
    ) -> Empty:
        return Empty()


def _whole_numbers(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    """The value as Kubernetes wants it: the SDK speaks in floating point only."""
    match value:
        case dict():
            return {key: _whole_numbers(entry) for key, entry in value.items() if entry is not None}
        case list():
            return [_whole_numbers(entry) for entry in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
