"""A port-forward connection is closed even if the close handshake is not waited for."""

import asyncio

import anyio
import websockets.asyncio.client
import websockets.asyncio.server

from dittoinfra.kubernetes.portforward import PodPort


async def silent(connection: websockets.asyncio.server.ServerConnection) -> None:
    await connection.wait_closed()


async def given_up() -> bool:
    async with websockets.asyncio.server.serve(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with websockets.asyncio.client.connect(f"ws://127.0.0.1:{port}", proxy=None) as websocket:
            await anyio.aclose_forcefully(PodPort(websocket, "media-0", 8080))
            return websocket.transport.is_closing()


def test_a_cancelled_connection_leaves_nothing_open() -> None:
    assert asyncio.run(given_up())
