"""Every failure as one gRPC status with one line, whatever raised it."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from typing_extensions import override

from dittoinfra.cluster import ClusterError
from dittoinfra.standin.errors import (
    AlreadyExistsError,
    NotConfiguredError,
    ObjectMissingError,
    RefusedError,
    StandInError,
)

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]  # generic in its stubs only

STATUSES: dict[type[StandInError], grpc.StatusCode] = {
    AlreadyExistsError: grpc.StatusCode.ALREADY_EXISTS,
    ObjectMissingError: grpc.StatusCode.NOT_FOUND,
    RefusedError: grpc.StatusCode.INVALID_ARGUMENT,
    NotConfiguredError: grpc.StatusCode.FAILED_PRECONDITION,
}


class OneLineStatuses(grpc.ServerInterceptor):
    """Turns exceptions into statuses, so that the engine shows a sentence and never a traceback."""

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
