"""The one thing that dittoinfra ever changes on a server, and only when asked: a user of its own."""

import asyncio
from dataclasses import dataclass, replace
from urllib.parse import quote as percent_encode

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.ending import StepError
from dittoinfra.dittofs.login import Login, PasswordSource
from dittoinfra.dittofs.problem import says
from dittoinfra.dittofs.strictjson import UnbelievableError, read_json
from dittoinfra.dittofs.wire import Reply
from dittoinfra.dittofs.wording import line, quote, seconds
from dittoinfra.model import Denied, Nonsense, Unanswered, Unreachable

USERS = "/api/v1/users"
READER = "user"
"""The role that may read ports and nothing else; a password that is given to it need not be changed first."""


@dataclass(frozen=True, slots=True)
class Created:
    """The user is new."""


@dataclass(frozen=True, slots=True)
class PasswordSet:
    """The user was there, and has the password now."""


@dataclass(frozen=True, slots=True)
class Exists:
    """The user is there already, and nothing was changed."""

    role: str


Given = Created | PasswordSet | Exists | Unanswered


def administrators_login(username: str, password: SecretStr) -> Login:
    """A login that somebody gave for one use, and that is kept nowhere."""
    return Login(username, password, PasswordSource("the administrator's login", "give the right one"))


def give_reader(reader: ApiAccess, administrator: Login, *, new_password: bool) -> Given:
    """Make the user of an access, or with `new_password` give the one that is there its password.

    Never raises, and tries once: whoever calls can see how far it came, and call again.
    """
    return asyncio.run(_bounded(reader, administrator, new_password=new_password))


async def _bounded(reader: ApiAccess, administrator: Login, *, new_password: bool) -> Given:
    try:
        async with (
            asyncio.timeout(reader.deadline),
            DittoFSClient(replace(reader, login=administrator)) as client,
        ):
            login = reader.login if isinstance(reader.login, Login) else await reader.login()
            client.keep_secret(login.password.get_secret_value())
            return await _give(client, administrator.username, login, new_password=new_password)
    except StepError as error:
        return error.outcome
    except TimeoutError:
        cause = f"{reader.url} gave no answer within {seconds(reader.deadline)} (api.deadline)"
        return Unreachable(line(cause, "check the server and the way to it"))


async def _give(client: DittoFSClient, administrator: str, reader: Login, *, new_password: bool) -> Given:
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
    role = _role(found)
    # Another role's login is somebody's who does more with it than read.
    if role != READER or not new_password:
        return Exists(role)
    changed = await client.post(f"{path}/password", {"new_password": password})
    return PasswordSet() if changed.status == 204 else _refused(client, changed, administrator)


def _role(reply: Reply) -> str:
    try:
        return _User.model_validate(read_json(reply.body)).role
    except (UnbelievableError, ValidationError):
        return "unknown"


def _refused(client: DittoFSClient, reply: Reply, administrator: str) -> Unanswered:
    cause = f"{reply.subject} answered HTTP {reply.status}{says(reply, client.hide)}"
    if reply.status in (401, 403):
        return Denied(line(f"{cause} to {quote(administrator)}", "log in as an administrator of the server"))
    return Nonsense(line(cause, "check that api.url is the address of a DittoFS API"))


class _User(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    role: str
