"""One question beyond polls to many servers, side by side: each has its own deadline and its own errors."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.client import LOOKING, DittoFSClient, too_slow, unexpected
from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.poll_errors import StepError
from dittoinfra.model import Denied, Nonsense, Unanswered

_T = TypeVar("_T")

Question = Callable[[DittoFSClient], Awaitable[_T]]
"""Sends its requests by a client, once, and reads the replies; it may raise `StepError`."""


def ask_servers(
    servers: Mapping[str, ApiAccess], question: Question[_T], max_concurrent: int
) -> Mapping[str, _T | Unanswered]:
    """The answer of each server, or why there is none, by server name. Never raises."""
    # In a thread of its own: the program that calls this runs inside an event loop.
    with ThreadPoolExecutor(1, "ask-servers") as thread:
        return thread.submit(asyncio.run, _ask_all(servers, question, max_concurrent)).result()


async def _ask_all(
    servers: Mapping[str, ApiAccess], question: Question[_T], max_concurrent: int
) -> Mapping[str, _T | Unanswered]:
    turns = asyncio.Semaphore(max_concurrent)

    async def one(access: ApiAccess) -> _T | Unanswered:
        async with turns:
            return await ask_server(access, question)

    return dict(zip(servers, await asyncio.gather(*map(one, servers.values())), strict=True))


async def ask_server(access: ApiAccess, question: Question[_T]) -> _T | Unanswered:
    """The answer of one server before its deadline, or why there is none. Never raises."""
    try:
        async with asyncio.timeout(access.deadline), DittoFSClient(access, LOOKING) as client:
            return await question(client)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        return too_slow(access)
    except Exception as error:  # noqa: BLE001 - no bug of this client may stop a run
        return unexpected(error)


def refused(client: DittoFSClient, reply: Reply, denied_next_step: str = "") -> Unanswered:
    """The outcome of a reply other than the one that was asked for."""
    cause = reply.refusal(client.hide)
    return Denied(cause, denied_next_step) if reply.status in (401, 403) else Nonsense(cause)
