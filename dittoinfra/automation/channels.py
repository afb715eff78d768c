"""The SDK's connections to engines, each of its own."""

from typing import Final

from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS  # not exported, and there is no other way

_APART: Final = ("grpc.use_local_subchannel_pool", 1)


def keep_channels_apart() -> None:
    """For the rest of the process: no run meets what another one has left.

    A program that the engine broke off leaves a connection that goes on trying a dead port. Shared, as they
    are by default, it would fail a later run whose engine happens to get that port.
    """
    if _APART not in _GRPC_CHANNEL_OPTIONS:
        _GRPC_CHANNEL_OPTIONS.append(_APART)
