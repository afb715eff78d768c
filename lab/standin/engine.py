"""Sends warnings for the user to the engine."""

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

TELL_SECONDS = 5.0
"""How long a warning may take; an engine that does not take it is gone."""


def tell(address: str, urn: str, message: str) -> None:
    """Show a warning for a resource; ignored if the engine is gone."""
    if not address:
        return
    request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message, urn=urn)
    # A connection for each: warnings are few, and one that is kept complains when the engine ends.
    with grpc.insecure_channel(address) as channel:
        try:
            engine_pb2_grpc.EngineStub(channel).Log(request, timeout=TELL_SECONDS)
        except grpc.RpcError:
            return
