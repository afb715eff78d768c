"""The SDK's debug messages, which nobody reads here."""

import pulumi


def hush_debug_messages() -> None:
    """Send none of them, for the rest of the process.

    For each resource the SDK tells the engine a score of them, each a round trip that everything waits for,
    and the engine shows them with `--debug` only, which no operation here asks for.
    """
    pulumi.log.debug = _nothing


def _nothing(
    msg: str,
    resource: pulumi.Resource | None = None,
    stream_id: int | None = None,
    ephemeral: bool | None = None,
) -> None:
    del msg, resource, stream_id, ephemeral
