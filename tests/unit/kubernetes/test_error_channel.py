"""Messages of a port-forward's error channel, as shown to users."""

import asyncio

import anyio
import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from dittoinfra.kubernetes.portforward import PROTOCOL, PodPort

_ERROR = b"\x01"


async def heard(said: bytes) -> str:
    """The message of a connection on whose error channel this is said."""

    async def node(websocket: ServerConnection) -> None:
        await websocket.send(_ERROR + (8080).to_bytes(2, "little"))
        await websocket.send(_ERROR + said)

    protocols = [Subprotocol(PROTOCOL)]
    async with serve(node, "127.0.0.1", 0, subprotocols=protocols) as server:
        [listening] = server.sockets
        address = f"ws://127.0.0.1:{listening.getsockname()[1]}"
        async with PodPort(await connect(address, subprotocols=protocols), "media-0", 8080) as port:
            with pytest.raises(anyio.BrokenResourceError) as broken:
                await port.receive()
    return str(broken.value)


def test_the_words_of_a_node_are_one_short_line_that_a_terminal_can_be_given() -> None:
    tricks = "\x1b[2J\x07refused\r\nerror: \u202eall is lost\n" + "x" * 5000

    said = asyncio.run(heard(tricks.encode()))

    assert said.startswith("port 8080 of Pod media-0 does not answer (\ufffd[2J\ufffdrefused error: ")
    assert said.isprintable()
    assert len(said) < 300


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert asyncio.run(heard(b"refused \xff\xfe")) == (
        "port 8080 of Pod media-0 does not answer (refused \ufffd\ufffd)"
    )
