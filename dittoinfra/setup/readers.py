"""The user of each server: whether its login works and, where it does not, making it work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from dittoinfra.dittofs import ApiAccess, Login, NotAsked
from dittoinfra.dittofs.checkup import examine
from dittoinfra.dittofs.users import (
    READER,
    Created,
    Exists,
    Given,
    PasswordSet,
    give_reader,
)
from dittoinfra.fleet.newcomers import first_administrator
from dittoinfra.model import Answered, Denied, Unreachable
from dittoinfra.settings import ServerSecrets, ServerSettings

State = Literal["works", "created", "password set", "not asked", "not there yet", "failed"]


@dataclass(frozen=True, slots=True)
class ReaderState:
    """How a server's user stands."""

    server: str
    username: str
    state: State
    text: str
    """One line: what is so, and where something is left to do, what."""
    denied: bool = False
    """Whether a login was refused."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """Whom to ask when a user has to be made."""

    administrator: Callable[[str], Login | None]
    """An administrator's login at a server; None where there is nobody to ask."""
    may_set_password: Callable[[str, str], bool]
    """Whether a user who is there already at a server may be given a new password."""
    say: Callable[[str], None]


def ensure_reader(
    server: ServerSettings,
    reach: Callable[[], ApiAccess | NotAsked],
    secrets: ServerSecrets | None,
    helpers: Helpers,
    *,
    new: bool,
) -> ReaderState:
    """Ask with the stack's own login and, where it is refused, make it good with an administrator's.

    `reach` gives the way to the API, anew each time. What a `new` stack is to deploy cannot be there yet.
    """
    name = server.api.username
    if new and server.deploy is not None:
        text = "not there before the stack has deployed it; `up` makes its user then"
        return ReaderState(server.name, name, "not there yet", text)
    access = reach()
    if isinstance(access, NotAsked):
        return ReaderState(server.name, name, "not asked", access.why)
    helpers.say(f"{server.name}: asking {access.url} as {name}")
    examined = examine(access)
    match examined.outcome:
        case Answered(adapters):
            text = f"user {name} may ask, and sees {len(adapters)} adapters"
            if examined.role not in (None, READER):
                text += f"; its role is {examined.role}, and `{READER}` would be enough"
            return ReaderState(server.name, name, "works", text)
        case Denied(why):
            administrator = first_administrator(secrets) or helpers.administrator(server.name)
            if administrator is None:
                return ReaderState(server.name, name, "failed", why, denied=True)
            return _given(server, reach, administrator, helpers)
        case unanswered:
            state: State = "failed" if server.deploy is None else "not there yet"
            return ReaderState(server.name, name, state, unanswered.why)


def _given(
    server: ServerSettings,
    reach: Callable[[], ApiAccess | NotAsked],
    administrator: Login,
    helpers: Helpers,
) -> ReaderState:
    name = server.api.username
    given = _give(reach, administrator, new_password=False)
    if given == Exists(READER) and helpers.may_set_password(server.name, name):
        given = _give(reach, administrator, new_password=True)
    match given:
        case Created() | PasswordSet():
            return _proven(server, reach, "created" if isinstance(given, Created) else "password set")
        case Exists(role) if role == READER:
            text = (
                f"user {name} exists already with another password; give --reset-password to set a new "
                "one, or name another user in api.username"
            )
            return ReaderState(server.name, name, "failed", text, denied=True)
        case Exists(role):
            text = f"user {name} exists already with the role {role}; name another user in api.username"
            return ReaderState(server.name, name, "failed", text, denied=True)
        case unanswered:
            denied = isinstance(unanswered, Denied)
            return ReaderState(server.name, name, "failed", unanswered.why, denied)


def _give(reach: Callable[[], ApiAccess | NotAsked], administrator: Login, *, new_password: bool) -> Given:
    match reach():
        case NotAsked(why):
            return Unreachable(why)
        case access:
            return give_reader(access, administrator, new_password=new_password)


def _proven(server: ServerSettings, reach: Callable[[], ApiAccess | NotAsked], state: State) -> ReaderState:
    name, access = server.api.username, reach()
    outcome = Unreachable(access.why) if isinstance(access, NotAsked) else examine(access).outcome
    match outcome:
        case Answered(adapters):
            text = f"user {name} ({state}) may ask, and sees {len(adapters)} adapters"
            return ReaderState(server.name, name, state, text)
        case unanswered:
            denied = isinstance(unanswered, Denied)
            return ReaderState(server.name, name, "failed", unanswered.why, denied)


def next_steps(stack: str, readers: "tuple[ReaderState, ...]") -> Iterator[str]:
    """What a person does next, as commands."""
    if any(reader.state == "failed" for reader in readers):
        yield f"dittoinfra init {stack}"
        return
    yield f"dittoinfra preview {stack}"
    yield f"dittoinfra up {stack}"
