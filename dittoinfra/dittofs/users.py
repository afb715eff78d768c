"""A user of our own on a server, made only when asked for."""

import asyncio
from dataclasses import dataclass, replace
from urllib.parse import quote as percent_encode

from pydantic import SecretStr

from dittoinfra.dittofs.api_access import ApiAccess, Login, PasswordSource
from dittoinfra.dittofs.ask_servers import ask_server
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.parse import parse_role
from dittoinfra.dittofs.text import fitted, quote
from dittoinfra.model import Denied, Nonsense, Unanswered
from dittoinfra.trouble import Trouble

USERS = "/api/v1/users"
READER = "user"
"""The role that may read ports and nothing else; a password that is given to it need not be changed first."""


@dataclass(frozen=True, slots=True)
class Created:
    """The user is new."""


@dataclass(frozen=True, slots=True)
class PasswordSet:
    """The user existed, and has the password now."""


@dataclass(frozen=True, slots=True)
class Exists:
    """The user exists already, and nothing was changed."""

    role: str


ReaderOutcome = Created | PasswordSet | Exists | Unanswered


def administrators_login(username: str, password: SecretStr) -> Login:
    """A login that the user gave for one use, and that is not stored."""
    return Login(username, password, PasswordSource("the administrator's login", "give the right one"))


def ensure_reader(reader: ApiAccess, administrator: Login, *, new_password: bool) -> ReaderOutcome:
    """Create the user of an access, or with `new_password` give an existing one its password.

    Never raises, and tries once: the caller can see how far it came, and call again.
    """

    async def ensure(client: DittoFSClient) -> ReaderOutcome:
        login = reader.login if isinstance(reader.login, Login) else await reader.login()
        client.keep_secret(login.password.get_secret_value())
        return await _ensure(client, administrator.username, login, new_password=new_password)

    outcome = asyncio.run(ask_server(replace(reader, login=administrator), ensure))
    return fitted(outcome) if isinstance(outcome, Trouble) else outcome


async def _ensure(
    client: DittoFSClient, administrator: str, reader: Login, *, new_password: bool
) -> ReaderOutcome:
    password = reader.password.get_secret_value()
    made = await client.post(USERS, {"username": reader.username, "password": password, "role": READER})
    if made.status == 201:
        return Created()
    if made.status != 409:
        return _refused(client, made, administrator)
    path = f"{USERS}/{percent_encode(reader.username, safe='')}"
    found = await client.get(path)
    if found.status != 200:
        return _refused(client, found, administrator)
    role = parse_role(found.body) or "unknown"
    # A login with another role is used for more than reading.
    if role != READER or not new_password:
        return Exists(role)
    changed = await client.post(f"{path}/password", {"new_password": password})
    return PasswordSet() if changed.status == 204 else _refused(client, changed, administrator)


def _refused(client: DittoFSClient, reply: Reply, administrator: str) -> Unanswered:
    cause = reply.refusal(client.hide)
    if reply.status in (401, 403):
        return Denied(f"{cause} to {quote(administrator)}", "log in as an administrator of the server")
    return Nonsense(cause, "check that api.url is the address of a DittoFS API")
