"""Converts every error to a gRPC status with a short message."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from pulumi.runtime.proto import provider_pb2, status_pb2
from typing_extensions import override

from dittoinfra.kubernetes import ClusterError
from lab.standin.errors import NotConfiguredError, PartialError, RefusedError, StandInError
from lab.standin.properties import to_struct

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]  # generic in its stubs only

STATUSES: dict[type[StandInError], grpc.StatusCode] = {
    RefusedError: grpc.StatusCode.INVALID_ARGUMENT,
    NotConfiguredError: grpc.StatusCode.FAILED_PRECONDITION,
}

DETAILS = "grpc-status-details-bin"
"""Where gRPC keeps what a status says beside its code and message."""


class OneLineStatuses(grpc.ServerInterceptor):
    """Converts exceptions to statuses, so that the engine shows a message and no traceback."""

    @override
    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        handler = continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler
        answer = handler.unary_unary

        def guarded(request: object, context: grpc.ServicerContext) -> object:
            try:
                return answer(request, context)
            except Exception as error:  # noqa: BLE001  (the last line of defence: a traceback may quote secrets)
                status, message = _status(error, handler_call_details.method)
                if isinstance(error, PartialError):
                    context.set_trailing_metadata(((DETAILS, _details(error)),))
            return context.abort(status, message)

        return grpc.unary_unary_rpc_method_handler(
            guarded,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )


def _status(error: Exception, method: str) -> tuple[grpc.StatusCode, str]:
    match error:
        case StandInError():
            return STATUSES.get(type(error), grpc.StatusCode.UNKNOWN), str(error)
        case ClusterError():
            return grpc.StatusCode.UNAVAILABLE, str(error)
        case NotImplementedError():
            name = method.rpartition("/")[2]
            return (
                grpc.StatusCode.UNIMPLEMENTED,
                f"the stand-in Kubernetes provider does not serve {name}; use the official plugin for it",
            )
        case _:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return (
                grpc.StatusCode.INTERNAL,
                f"unexpected {type(error).__name__} in the stand-in Kubernetes provider "
                f"({Path(place.filename).name}, line {place.lineno}); please report it",
            )


def _details(error: PartialError) -> bytes:
    """The state that the engine keeps although the operation failed, in its own form."""
    detail = provider_pb2.ErrorResourceInitFailed(
        id=error.resource_id,
        properties=to_struct(error.state),
        reasons=error.reasons,
        inputs=None if error.inputs is None else to_struct(error.inputs),
    )
    packed = AnyMessage()
    packed.Pack(detail)
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(error), details=[packed])
    return status.SerializeToString()
